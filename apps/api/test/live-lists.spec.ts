import { type RandomMarket, servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { naiveLaunches } from '#libs/pipeline/projections/launches/test/oracle.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { RecordingOutlet } from '#libs/serve/live/test/recording-outlet.js';
import { TestClock } from '#libs/serve/live/test/test-clock.js';
import { type Frame, SocketClient } from '../src/live/transport/test/live-clients.js';
import { LOOK_EVERY_MS } from '../src/market/launchpad.channel.js';
import { ApiHarness } from './api-harness.js';
import { openLiveChannels } from './live-channels.js';

/** The channels that look at a list from time to time: how often they speak, and what another instance says. */
const met = { changed: 0, quiet: 0 };

async function run(seed: number): Promise<void> {
  const market = servedMarket(seed, { family: 'evm', groups: 45, retractions: 0.05 });
  const last = market.facts.length - 1;
  const first = Math.floor(last / 3);
  const clock = new TestClock();
  const harness = await ApiHarness.start(market, { live: { clock } });
  const client = await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
  try {
    await harness.advance(first, first);
    /** Rows of a list as REST has them at the newest block; null while it answers those of a moment ago. */
    const rest = async (path: string): Promise<Frame[] | null> => {
      const { data, meta } = (await harness.get(path)).body;
      const { chain, head } = harness.reader.view();
      return meta.chains.eth.blockHash === chain.ids.formatBlockHash(head.hash) ? data : null;
    };
    const board = () => rest('/launchpad/new?chain=eth');
    client.send({ op: 'subscribe', id: 'b', channel: 'launchpad', chain: 'eth', board: 'new' });
    const snapshot = await client.next(({ type }) => type === 'snapshot');
    let held: Frame[] = snapshot.data;
    expect({ seed, held }).toEqual({ seed, held: await board() });

    // However many blocks come, and however often a token trades in them: nothing before the next look.
    let frames = 0;
    let place = { epoch: snapshot.epoch, seq: snapshot.seq };
    const take = (frame: Frame): void => {
      if (!['add', 'remove', 'snapshot'].includes(frame.type)) return;
      place = { epoch: frame.epoch, seq: frame.seq };
      frames++;
      met.changed++;
      const addresses = frame.data.map(({ address }: Frame) => address);
      expect(new Set(addresses).size).toBe(addresses.length);
      if (frame.type === 'snapshot') held = frame.data;
      else {
        held = held.filter(({ address }) => !addresses.includes(address));
        if (frame.type === 'add') held = [...frame.data, ...held];
      }
    };
    /** Takes what was sent before an operation is answered. */
    const drain = async (id: number): Promise<void> => {
      client.send({ op: 'ping', id });
      for (;;) {
        const frame = await client.next();
        if (frame.type === 'pong') return;
        take(frame);
      }
    };
    const inOrder = (rows: Frame[]): Frame[] => [...rows].sort((a, b) => (a.address < b.address ? -1 : 1));
    for (let seq = first; seq < last; ) {
      const target = Math.min(last, seq + 6);
      while (seq < target) await harness.advance(++seq, first);
      await drain(seq);
      clock.move(LOOK_EVERY_MS - 1);
      await drain(seq);
      expect({ seed, seq, frames }).toEqual({ seed, seq, frames: 0 });
      met.quiet++;
      clock.move(1);
      await until(`seed ${seed}: the board at ${seq}`, async () => {
        const rows = await board();
        await drain(seq);
        if (rows !== null && JSON.stringify(inOrder(held)) === JSON.stringify(inOrder(rows))) return true;
        // The list was one of a moment ago: the next look.
        clock.move(LOOK_EVERY_MS);
        return false;
      });
      frames = 0;
    }
    // Another instance holds none of it: it says so, and begins with what REST answers.
    const channels = openLiveChannels(new Map([['eth', harness.reader]]), new Uint8Array(32).fill(9));
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const other = new LiveHub({ channels: channels.definitions, logger, clock: new TestClock() });
    const outlet = new RecordingOutlet();
    const connection = other.connect(outlet);
    const wanted = [
      { id: 'launchpad', channel: 'launchpad', board: 'new' },
      { id: 'trending', channel: 'trending', window: '24h' },
    ];
    for (const each of wanted) {
      connection.receive(JSON.stringify({ op: 'subscribe', chain: 'eth', resume: place, ...each }));
    }
    await until('snapshots of another instance', () => outlet.frames.length === 4);
    const sent = outlet.take();
    for (const [id, path] of [
      ['launchpad', '/launchpad/new?chain=eth'],
      ['trending', '/trending?chain=eth&window=24h'],
    ] as const) {
      const [subscribed, begun] = sent.filter((frame) => frame.id === id);
      expect(subscribed).toMatchObject({ type: 'subscribed', resumed: false });
      expect(begun).toMatchObject({ type: 'snapshot', seq: harness.reader.status().seq });
      let rows: Frame[] | null = null;
      await until(`${id} of REST at the newest block`, async () => {
        rows = await rest(path);
        return rows !== null;
      });
      expect({ seed, id, data: begun!.data }).toEqual({ seed, id, data: rows });
    }
    other.close();
    channels.close();
    expect(harness.problems).toEqual([]);
  } finally {
    client.socket.terminate();
    await harness.close();
  }
}

it('a board is sent at most once a look, however many blocks come, and ends as REST answers', async () => {
  for (let seed = testSeed(5), tries = 0; met.changed === 0; seed++, tries++) {
    expect({ tries, met: tries < 10 ? null : met }).toEqual({ tries, met: null });
    await run(seed);
  }
  expect(met.quiet).toBeGreaterThan(0);
});

/** Tokens on their curve, and tokens that left it, among those listed at a seq. */
function launched({ chain, facts, recorded, reference }: RandomMarket, seq: number) {
  const naive = new NaiveMarket(chain, facts, seq);
  const listed = new Set(naive.tokens().map(({ token }) => token));
  const blocks = naive.blocks.map((block) => recorded[block.seq] as BlockGroup);
  const launches = naiveLaunches(naive.blocks, blocks, reference).filter(
    ({ origin, token }) => origin === 2 && listed.has(token),
  );
  const of = (graduated: number) =>
    new Set(
      launches.filter((launch) => launch.graduated === graduated).map(({ token }) => chain.ids.formatAddress(token)),
    );
  return { curve: of(0), left: of(1) };
}

/** The first market from a seed on in which a listed token graduates between two seqs. */
function marketThatGraduates(from: number) {
  for (let seed = from; ; seed++) {
    expect({ tried: seed - from < 1_000 }).toEqual({ tried: true });
    const market = servedMarket(seed, { family: 'evm', groups: 80, retractions: 0.03, blockTime: 60_000 });
    const last = market.facts.length - 1;
    const first = Math.floor(last / 3);
    const { curve } = launched(market, first);
    const graduated = [...launched(market, last).left].filter((token) => curve.has(token));
    if (graduated.length > 0) return { seed, market, first, last, graduated };
  }
}

it('a token that graduates leaves the board of new ones and comes onto that of the graduated', async () => {
  const { seed, market, first, last, graduated } = marketThatGraduates(testSeed(6));
  const clock = new TestClock();
  const harness = await ApiHarness.start(market, { live: { clock } });
  const client = await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
  try {
    await harness.advance(first, first);
    const boards = ['new', 'graduated'] as const;
    const held: Record<string, Map<string, Frame>> = {};
    const moved: Record<string, Set<string>> = { new: new Set(), graduated: new Set() };
    for (const board of boards) {
      client.send({ op: 'subscribe', id: board, channel: 'launchpad', chain: 'eth', board });
      const { data } = await client.next(({ type, id }) => type === 'snapshot' && id === board);
      held[board] = new Map(data.map((row: Frame) => [row.address, row]));
    }
    const take = ({ id, type, data }: Frame): void => {
      if (type === 'snapshot') held[id] = new Map();
      for (const row of data) {
        if (type === 'remove') {
          held[id]!.delete(row.address);
          if (id === 'new') moved.new!.add(row.address);
        } else {
          if (type === 'add' && id === 'graduated' && !held[id]!.has(row.address)) moved.graduated!.add(row.address);
          held[id]!.set(row.address, row);
        }
      }
    };
    for (let seq = first; seq < last; ) {
      seq = Math.min(last, seq + 8);
      await harness.advance(seq, first);
      await until(`seed ${seed}: both boards at ${seq}`, async () => {
        clock.move(LOOK_EVERY_MS);
        client.send({ op: 'ping', id: seq });
        for (let frame = await client.next(); frame.type !== 'pong'; frame = await client.next()) take(frame);
        for (const board of boards) {
          const { data, meta } = (await harness.get(`/launchpad/${board}?chain=eth`)).body;
          const { chain, head } = harness.reader.view();
          // One of a moment ago.
          if (meta.chains.eth.blockHash !== chain.ids.formatBlockHash(head.hash)) return false;
          const rows = new Map(data.map((row: Frame) => [row.address, row]));
          const sorted = (all: Map<string, unknown>) => JSON.stringify([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
          if (sorted(rows as Map<string, unknown>) !== sorted(held[board]!)) return false;
        }
        return true;
      });
    }
    expect(harness.problems).toEqual([]);
    const came = graduated.filter((address) => moved.new!.has(address) && moved.graduated!.has(address));
    expect({ seed, came }).toEqual({ seed, came: graduated });
  } finally {
    client.socket.terminate();
    await harness.close();
  }
});
