import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { LiveMarket, SteppedSink } from '#libs/devkit/testing/market/live-market.js';
import { servedMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { TestClock } from '#libs/serve/live/test/test-clock.js';
import { everyChannel } from './live/channel-requests.js';
import type { Happened } from './live/happened.js';
import { ModelClient } from './live/model-client.js';
import { RestAnswers } from './live/rest-answers.js';
import { ServedApi } from './live/served-api.js';

/**
 * Two instances of the api over one Kafka broker and one store, each with a connection of its own. Model clients lose their
 * connection and continue on either instance: after every frame they hold what REST answers at its block.
 */
const GROUPS = scaled(400, 90);
const FIRST = 30;

describeWithKafka('live channels of two instances over Kafka (long)', () => {
  let broker: KafkaBroker;
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    broker = await startKafkaBroker();
    ({ store, dispose } = await temporaryStore());
  }, 120_000);
  afterAll(async () => {
    await dispose();
    await broker.stop();
  }, 120_000);

  it.each(['evm', 'solana'] as const)(
    'a chain of %s: clients hold what REST answers at every block',
    async (family) => {
      const seed = testSeed(family === 'evm' ? 51 : 52);
      const random = new SeededRandom(seed);
      const market = servedMarket(seed, {
        family,
        groups: GROUPS,
        retractions: 0.1,
        deepest: 20,
        busiest: 4,
        traders: true,
      });
      const answers = new RestAnswers(market.chain, market.facts);
      const logs: EventLog[] = [];
      const connect = async (): Promise<EventLog> => {
        const log = await openKafkaLog({ brokers: broker.brokers, clientId: `live-${family}-${logs.length}` });
        logs.push(log);
        return log;
      };
      const live = await LiveMarket.open(market.facts, 1, await connect());
      const sink = await SteppedSink.create(store, market.facts, 1);
      const clock = new TestClock();
      const start = async () => new ServedApi({ chain: market.chain, log: await connect(), store, clock });
      await live.publish(FIRST);
      await sink.writeTo(FIRST - 10);
      await sink.flip();
      const apis = [await start(), await start()];
      const problems: string[] = [];
      const happened: Happened = {};
      let lost = 0;
      try {
        await Promise.all(apis.map((api) => api.at(FIRST)));
        const known = market.facts.slice(0, FIRST);
        const clients = everyChannel(answers, random, known).map((request) => {
          const client = new ModelClient(request.channel, answers, happened, (problem) => problems.push(problem));
          client.connect(random.pick(apis).hub);
          client.subscribe(request);
          return client;
        });
        const last = market.facts.length - 1;
        for (let seq = FIRST; seq < last && problems.length === 0; ) {
          seq = Math.min(last, seq + random.int(1, 4));
          await live.publish(seq);
          // One instance may be behind the other.
          await random.pick(apis).at(seq);
          if (random.chance(0.3)) await sink.writeTo(random.int(sink.checkpoint.seq, seq));
          for (const client of clients) {
            if (random.chance(0.6)) await client.read(random.int(1, 8));
            if (!random.chance(0.15)) continue;
            client.disconnect();
            client.connect(random.pick(apis).hub);
            lost++;
          }
        }
        await Promise.all(apis.map((api) => api.at(last)));
        // What is sent every minute, then until nothing more comes and every client is where REST is.
        const view = apis[0]!.reader.view();
        const rest = async (when: string): Promise<void> => {
          let behind: (string | null)[] = [];
          const compared = async (): Promise<boolean> => {
            for (const client of clients) await client.read(Number.POSITIVE_INFINITY);
            const subscriptions = clients.flatMap(({ subscriptions }) => [...subscriptions.values()]);
            behind = await Promise.all(subscriptions.map((each) => each.compareWith(view)));
            return behind.every((problem) => problem === null) || problems.length > 0;
          };
          const late = (error: unknown) => void problems.push(String(error), ...behind.map(String));
          await until(`seed ${seed}: clients ${when}`, compared).catch(late);
          expect({ seed, when, problems }).toEqual({ seed, when, problems: [] });
        };
        clock.move(60_000);
        await rest('at rest');
        // All of them on the other instance: trades continue there whatever was taken back meanwhile.
        const resumed = happened.resumed ?? 0;
        for (const [n, client] of clients.entries()) {
          client.disconnect();
          client.connect(apis[n % 2]!.hub);
          lost++;
        }
        const heard = () => (happened.resumed ?? 0) > resumed;
        await until('one that resumes', async () => {
          for (const client of clients) await client.read(Number.POSITIVE_INFINITY);
          return heard() || problems.length > 0;
        });
        clock.move(60_000);
        await rest('on another instance');
        expect(lost).toBeGreaterThanOrEqual(clients.length);
        const never = clients
          .map(({ name }) => name)
          .filter((name) => name !== 'trades' && name !== 'candles' && !happened[`compared ${name}`]);
        expect({ seed, never }).toEqual({ seed, never: [] });
      } finally {
        for (const api of apis) await api.stop();
        await live.close();
        for (const log of logs) await log.close();
      }
    },
  );
});
