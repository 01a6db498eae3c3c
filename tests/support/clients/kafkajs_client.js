// One deed of a kafkajs client: told as JSON in the first argument, records as JSON lines on standard input.
const { Kafka, logLevel, CompressionTypes } = require("kafkajs");
const readline = require("readline");

const told = JSON.parse(process.argv[2]);
const kafka = new Kafka({
  clientId: told.name || "matrix-kafkajs",
  brokers: told.bootstrap.split(","),
  logLevel: logLevel.NOTHING,
  requestTimeout: 5000,
  retry: { retries: 60, initialRetryTime: 50, maxRetryTime: 500 },
});
const say = (what) => process.stdout.write(JSON.stringify(what) + "\n");

async function withAdmin(act) {
  const admin = kafka.admin();
  await admin.connect();
  await act(admin);
  await admin.disconnect();
}

const deeds = {
  create: () =>
    withAdmin((admin) =>
      admin.createTopics({ topics: [{ topic: told.topic, numPartitions: 3, replicationFactor: 3 }] })),
  topics: () => withAdmin(async (admin) => say(await admin.listTopics())),
  describe: () =>
    withAdmin(async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [told.topic] });
      say(topics[0].partitions.map((each) => [each.partitionId, each.leader]));
    }),
  produce: async () => {
    const producer = kafka.producer({
      idempotent: told.idempotent,
      maxInFlightRequests: told.idempotent ? 1 : 5,
      allowAutoTopicCreation: false,
    });
    await producer.connect();
    const sent = { acknowledged: [], failed: [] };
    const send = async (messages) => {
      try {
        await producer.send({
          topic: told.topic,
          messages,
          acks: told.acks,
          compression: told.compression === "gzip" ? CompressionTypes.GZIP : CompressionTypes.None,
        });
        sent.acknowledged.push(...messages.map((each) => each.value));
      } catch (error) {
        sent.failed.push(String(error));
      }
    };
    let waiting = [];
    for await (const line of readline.createInterface({ input: process.stdin })) {
      const [key, value] = JSON.parse(line);
      waiting.push({ key, value });
      if (waiting.length === 100) {
        await send(waiting);
        waiting = [];
      }
    }
    if (waiting.length) await send(waiting);
    await producer.disconnect();
    say(sent);
  },
  consume: async () => {
    const consumer = kafka.consumer({
      groupId: told.group,
      sessionTimeout: 6000,
      heartbeatInterval: 300,
      maxWaitTimeInMs: 200, // by default it is five seconds before it looks whether it is to leave
      rebalanceTimeout: 10000,
    });
    consumer.on(consumer.events.GROUP_JOIN, (event) =>
      say({ assigned: event.payload.memberAssignment[told.topic] || [] }));
    await consumer.connect();
    await consumer.subscribe({ topic: told.topic, fromBeginning: true });
    await consumer.run({
      autoCommitInterval: 200,
      eachMessage: async ({ partition, message }) => say([partition, String(message.key), String(message.value)]),
    });
    for await (const _ of readline.createInterface({ input: process.stdin })) continue;
    await consumer.disconnect();
  },
};

deeds[told.act]().then(
  () => process.stdout.end(() => process.exit(0)),
  (error) => {
    process.stderr.write(String(error) + "\n");
    process.exit(1);
  },
);
