// One deed of Kafka's own Java client: told as arguments; records as lines of key, tab, value on standard input.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

public class MatrixClient {
  static final PrintStream OUT = new PrintStream(System.out, false);

  public static void main(String[] told) throws Exception {
    switch (told[0]) {
      case "create" -> create(told[1], told[2]);
      case "topics" -> topics(told[1]);
      case "describe" -> describe(told[1], told[2]);
      case "produce" -> produce(told[1], told[2], told[3], told[4], told[5]);
      case "consume" -> consume(told[1], told[2], Integer.parseInt(told[3]), Integer.parseInt(told[4]));
      case "group" -> group(told[1], told[2], told[3], told[4]);
      case "consumer-group" -> consumerGroup(told[1], told[2], told[3], told[4], Arrays.asList(told).subList(5, told.length));
      default -> throw new IllegalArgumentException(told[0]);
    }
    OUT.flush();
  }

  static Properties settings(String bootstrap, Map<String, String> more) {
    Properties found = new Properties();
    found.put("bootstrap.servers", bootstrap);
    found.put("client.id", "matrix-java");
    found.put("metadata.max.age.ms", "1000");
    for (String side : List.of("key", "value")) {
      found.put(side + ".serializer", "org.apache.kafka.common.serialization.StringSerializer");
      found.put(side + ".deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
    }
    found.putAll(more);
    return found;
  }

  static void create(String bootstrap, String topic) throws Exception {
    try (Admin admin = Admin.create(settings(bootstrap, Map.of()))) {
      admin.createTopics(List.of(new NewTopic(topic, 3, (short) 3))).all().get();
    }
  }

  static void topics(String bootstrap) throws Exception {
    try (Admin admin = Admin.create(settings(bootstrap, Map.of()))) {
      admin.listTopics().names().get().forEach(OUT::println);
    }
  }

  static void describe(String bootstrap, String topic) throws Exception {
    try (Admin admin = Admin.create(settings(bootstrap, Map.of()))) {
      admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions()
          .forEach(each -> OUT.println(each.partition() + "\t" + each.leader().id()));
    }
  }

  static void produce(String bootstrap, String topic, String acks, String idempotent, String compression)
      throws Exception {
    Map<String, String> more = Map.of("acks", acks, "enable.idempotence", idempotent, "compression.type", compression,
        "linger.ms", "5", "request.timeout.ms", "5000", "delivery.timeout.ms", "60000");
    List<String> acknowledged = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings(bootstrap, more))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split("\t", 2);
        producer.send(new ProducerRecord<>(topic, parts[0], parts[1]), (where, error) -> {
          if (error == null) acknowledged.add(parts[1]); else failed.add(error.toString());
        });
      }
    }
    acknowledged.forEach(value -> OUT.println("ok\t" + value));
    failed.forEach(error -> OUT.println("failed\t" + error));
  }

  static void consume(String bootstrap, String topic, int partitions, int count) {
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings(bootstrap, Map.of()))) {
      List<TopicPartition> all =
          IntStream.range(0, partitions).mapToObj(index -> new TopicPartition(topic, index)).collect(Collectors.toList());
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long deadline = System.nanoTime() + 60_000_000_000L;
      int found = 0;
      while (found < count && System.nanoTime() < deadline) found += tell(consumer, Duration.ofSeconds(1), false);
      tell(consumer, Duration.ofMillis(200), false);
    }
  }

  static int tell(KafkaConsumer<String, String> consumer, Duration wait, boolean partitions) {
    int found = 0;
    for (ConsumerRecord<String, String> each : consumer.poll(wait)) {
      OUT.println((partitions ? each.partition() + "\t" : "") + each.key() + "\t" + each.value());
      found++;
    }
    if (partitions) OUT.flush();
    return found;
  }

  static void group(String bootstrap, String topic, String group, String member) throws Exception {
    Map<String, String> more = Map.of("group.id", group, "client.id", member, "auto.offset.reset", "earliest",
        "session.timeout.ms", "6000", "heartbeat.interval.ms", "300", "auto.commit.interval.ms", "200");
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings(bootstrap, more))) {
      consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
        public void onPartitionsAssigned(Collection<TopicPartition> added) {
          say(consumer.assignment());
        }

        public void onPartitionsRevoked(Collection<TopicPartition> taken) {
          say(List.of());
        }

        void say(Collection<TopicPartition> now) {
          OUT.println("assigned\t" + now.stream().map(each -> "" + each.partition()).collect(Collectors.joining(",")));
          OUT.flush();
        }
      });
      while (System.in.available() == 0) tell(consumer, Duration.ofMillis(200), true);
    }
  }

  /** The newer protocol: the broker says how long a session is and how often to come. More settings as key=value. */
  static void consumerGroup(String bootstrap, String topic, String group, String member, List<String> settings)
      throws Exception {
    Map<String, String> more = new HashMap<>(Map.of("group.id", group, "client.id", member, "group.protocol", "consumer",
        "auto.offset.reset", "earliest", "auto.commit.interval.ms", "200"));
    settings.forEach(each -> more.put(each.split("=", 2)[0], each.split("=", 2)[1]));
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings(bootstrap, more))) {
      OUT.println("ready");
      OUT.flush();
      while (System.in.read() != '\n') continue; // told to join
      consumer.subscribe(List.of(topic));
      Set<TopicPartition> before = Set.of();
      while (System.in.available() == 0) {
        tell(consumer, Duration.ofMillis(100), true);
        Set<TopicPartition> now = Set.copyOf(consumer.assignment());
        if (!now.equals(before)) {
          OUT.println("assigned\t" + now.stream().map(each -> "" + each.partition()).collect(Collectors.joining(",")));
          OUT.flush();
        }
        before = now;
      }
    }
  }
}
