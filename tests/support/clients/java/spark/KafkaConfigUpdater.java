// Stands in for spark-token-provider-kafka-0-10 where no registry has it: that jar finds Kerberos logins and delegation
// tokens for a connection, and a listener on loopback asks for neither. What Spark reads and writes does not pass through it.
package org.apache.spark.kafka010;

import java.util.HashMap;
import java.util.Map;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

public class KafkaConfigUpdater {
  private final Map<String, Object> settings;

  public KafkaConfigUpdater(String module, scala.collection.immutable.Map<String, Object> given) {
    settings = new HashMap<>(CollectionConverters.asJava(given));
  }

  public KafkaConfigUpdater set(String key, Object value) {
    settings.put(key, value);
    return this;
  }

  public KafkaConfigUpdater setIfUnset(String key, Object value) {
    settings.putIfAbsent(key, value);
    return this;
  }

  public KafkaConfigUpdater setAuthenticationConfigIfNeeded() {
    return this;
  }

  public KafkaConfigUpdater setAuthenticationConfigIfNeeded(Option<KafkaTokenClusterConf> cluster) {
    return this;
  }

  public Map<String, Object> build() {
    return settings;
  }
}

class KafkaTokenClusterConf {}
