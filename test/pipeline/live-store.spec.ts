import { LiveMarket, SteppedSink } from '#libs/devkit/testing/market/live-market.js';
import { randomMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { RecordingOutlet } from '#libs/serve/live/test/recording-outlet.js';
import type { Happened } from './live/happened.js';
import { ModelClient } from './live/model-client.js';
import { RestAnswers } from './live/rest-answers.js';
import { ServedApi } from './live/served-api.js';

/**
 * Live trades and candles over the real log and the real ClickHouse engine: what a retraction takes back is read from the
 * tables when it is not held any more, snapshots and at last everything at rest come from them too.
 */
describe('live channels over the real store', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeEach(async () => ({ store, dispose } = await temporaryStore()), 120_000);
  afterEach(() => dispose(), 120_000);

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** Until the store is asked nothing any more, and every frame is read. */
  async function readAll(api: ServedApi, clients: readonly ModelClient[]): Promise<void> {
    for (let quiet = 0; quiet < 20; quiet++) {
      await turn();
      if (api.pending > 0) quiet = 0;
      for (const client of clients) {
        if (client.unread > 0) quiet = 0;
        await client.read(Number.POSITIVE_INFINITY);
      }
    }
  }

  it.each(propertySeeds(scaled(30, 3), 501))('history %i', async (seed) => {
    const random = new SeededRandom(seed);
    const market = randomMarket(seed, { groups: 90, retractions: 0.1, deepest: 30, busiest: 4 });
    const live = await LiveMarket.open(market.facts);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(20);
    await sink.writeTo(10);
    await sink.flip();
    const problems: string[] = [];
    const happened: Happened = {};
    const answers = new RestAnswers(market.chain, market.facts);
    let api = new ServedApi({ chain: market.chain, log: live.log, store });
    const clients = [0, 1].map((n) => new ModelClient(`client ${n}`, answers, happened, (what) => problems.push(what)));
    try {
      await api.at(20);
      const traded = market.facts.slice(0, 20).flatMap((group) => (group.kind === 'block' ? group.trades : []));
      const tokens = [...new Set(traded.flatMap(({ base, quote }) => [base, quote]))];
      for (const client of clients) {
        client.connect(api.hub);
        for (let i = 0; i < 2; i++) {
          const token = random.pick(tokens);
          client.subscribe({ channel: 'trades', token });
          const interval = random.pick(['1s', '1m', '1h'] as const);
          client.subscribe({
            channel: 'candles',
            token,
            interval,
            currency: random.pick(['usd', 'native'] as const),
          });
        }
      }
      for (let seq = 20; seq < market.facts.length - 1 && problems.length === 0; ) {
        seq = Math.min(market.facts.length - 1, seq + random.int(1, 4));
        await live.publish(seq);
        await api.at(seq);
        if (random.chance(0.4)) {
          await sink.writeTo(random.int(sink.checkpoint.seq, seq));
          if (random.chance(0.5)) await sink.seal();
        }
        const client = random.pick(clients);
        if (random.chance(0.15)) {
          client.disconnect();
          client.connect(api.hub);
        }
        if (random.chance(0.6)) await client.read(random.int(1, 20));
        if (random.chance(0.08)) {
          await sink.writeTo(seq);
          await api.stop();
          api = new ServedApi({ chain: market.chain, log: live.log, store });
          await api.at(seq);
          for (const each of clients) each.connect(api.hub);
        }
      }
      await readAll(api, clients);
      const view = api.reader.view();
      for (const client of clients) {
        for (const [id, subscription] of client.subscriptions) {
          const problem = await subscription.compareWith(view);
          if (problem !== null) problems.push(`${client.name} ${id} ${subscription.describe()}: ${problem}`);
        }
      }
      expect({ seed, problems }).toEqual({ seed, problems: [] });
    } finally {
      await api.stop();
      await live.close();
    }
  });

  it('another epoch of the chain ends in lagged and a snapshot of it; nothing of the old one is resumed', async () => {
    const market = randomMarket(7, { groups: 40, retractions: 0 });
    // Further than the first epoch wherever it is read: a reader does not go back to it else.
    const other = randomMarket(8, { groups: 40, epoch: 2, startHeight: 2_000, retractions: 0 });
    const token = market.facts.flatMap((group) => (group.kind === 'block' ? group.trades : []))[0]!.base;
    const live = await LiveMarket.open(market.facts);
    const first = await SteppedSink.create(store, market.facts, 1);
    await live.publish(40);
    await first.writeTo(30);
    await first.flip();
    const api = new ServedApi({ chain: market.chain, log: live.log, store });
    try {
      await api.at(40);
      const outlet = new RecordingOutlet();
      const connection = api.hub.connect(outlet);
      const subscribe = { op: 'subscribe', id: 'a', channel: 'trades', chain: 'eth', token: `0x${token}` };
      connection.receive(JSON.stringify(subscribe));
      await until(() => outlet.frames.length === 2);
      const [, snapshot] = outlet.take() as { epoch: string; seq: number }[];
      const beside = await live.withLog(other.facts, 2);
      await beside.publish(25);
      const second = await SteppedSink.create(store, other.facts, 2, 2);
      await second.writeTo(20);
      await second.flip();
      await until(() => outlet.frames.length === 2);
      const [lagged, fresh] = outlet.take() as { type: string; epoch: string; seq: number; data: unknown[] }[];
      expect([lagged!.type, fresh!.type, fresh!.seq, fresh!.data]).toEqual(['lagged', 'snapshot', 25, []]);
      expect(fresh!.epoch).not.toBe(snapshot!.epoch);
      const { epoch, seq } = snapshot!;
      const known = other.facts.slice(0, 20).flatMap((group) => (group.kind === 'block' ? group.tokens : []))[0]!.token;
      const again = { ...subscribe, id: 'b', token: `0x${known}`, resume: { epoch, seq: Math.min(seq, 24) } };
      connection.receive(JSON.stringify(again));
      await until(() => outlet.frames.length === 2);
      expect(outlet.take()[0]).toMatchObject({ type: 'subscribed', resumed: false });
    } finally {
      await api.stop();
      await live.close();
    }
  });
});
