import { parse } from 'yaml';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { TestClock } from '#libs/serve/live/test/test-clock.js';
import { liveDocument } from '../src/documents/live-document.js';
import { declaredChannels } from '../src/feature/feature.js';
import { features } from '../src/features.js';
import type { Frame } from '../src/live/transport/test/live-clients.js';
import { ApiHarness } from './api-harness.js';
import { type Door, SocketDoor, StreamDoor, type Wanted } from './live-doors.js';

const happened: Record<string, number> = {};
const count = (what: string): void => {
  happened[what] = (happened[what] ?? 0) + 1;
};

/** What the AsyncAPI document says against a frame of a subscription to a channel. */
const document = parse(liveDocument(declaredChannels(features)));
function undocumented(channel: string, frame: Frame): string[] {
  const message = document.channels[channel].messages[frame.type];
  if (message === undefined) return [`${channel} sends ${frame.type}, which is not documented`];
  count('documented');
  return schemaProblems(document, message.payload, frame, `${channel} ${frame.type}`);
}

const doors = { sockets: SocketDoor, 'event streams': StreamDoor };
const worlds = seeds(1).flatMap((seed) => [
  ['evm', 'sockets', seed] as const,
  ['evm', 'event streams', seed + 1] as const,
  ['solana', 'sockets', seed] as const,
]);

/** The tokens that the blocks surviving at a place of the log name. */
const tokensAt = (chain: ChainSpec, facts: readonly FactsGroup[], seq: number): ReadonlySet<string> =>
  new Set(new NaiveMarket(chain, facts, seq).blocks.flatMap(({ tokens }) => tokens.map(({ token }) => token)));

/** What each channel sends is what its REST twin answers at the frame's block, and stays it while blocks come and go. */
function staysTrue(
  family: 'evm' | 'solana',
  way: keyof typeof doors,
  seed: number,
  openLog = async () => null as EventLog | null,
): void {
  // A token that is known at the half is traded after it.
  const market = marketWith(seed, { family, groups: 45, retractions: 0.1 }, (_, { chain, facts }) => {
    const blocks = facts.filter((group) => group.kind === 'block');
    const half = Math.floor((facts.length - 1) / 2);
    const known = tokensAt(chain, facts, half);
    return blocks.some(({ seq, trades }) => seq > half && trades.some(({ base }) => known.has(base)));
  });
  const { slug, ids } = market.chain;
  const last = market.facts.length - 1;
  const first = Math.floor(last / 2);
  const clock = new TestClock();
  let log: EventLog | null = null;
  let harness: ApiHarness;
  let door: Door;
  let tokens: string[];
  let wallet: string;

  beforeAll(async () => {
    log = await openLog();
    harness = await ApiHarness.start(market, { live: { clock } }, null, log);
    await harness.advance(first, Math.floor(first * 0.7));
    door = new doors[way](harness);
    const blocks = market.facts.filter((group) => group.kind === 'block');
    const after = blocks.filter(({ seq }) => seq > first);
    const known = tokensAt(market.chain, market.facts, first);
    const often = (ids: string[]): string[] => {
      const counts = new Map<string, number>();
      for (const id of ids) if (known.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
      return [...counts].sort(([, a], [, b]) => b - a).map(([id]) => id);
    };
    const traded = often(after.flatMap(({ trades }) => trades.map(({ base }) => base)));
    const moved = often(after.flatMap(({ balances = [] }) => balances.map(({ token }) => token)));
    // The two that trade most, and the one whose holders change most.
    tokens = [...new Set([...traded.slice(0, 2), ...moved.slice(0, 1)])].map((token) => ids.formatAddress(token));
    expect(tokens.length).toBeGreaterThan(0);
    wallet = ids.formatAddress(after.flatMap(({ trades }) => trades)[0]!.wallet);
  });
  afterAll(async () => {
    door.close();
    expect(harness.problems).toEqual([]);
    await harness.close();
    await log?.close();
  });

  /** Null for a token that a retraction made unknown. */
  const body = async (path: string): Promise<Frame> => {
    const reply = await harness.get(path);
    expect([path, reply.status === 404 || reply.status === 200]).toEqual([path, true]);
    return reply.status === 404 ? null : reply.body;
  };
  const without = (rows: Frame[], ...fields: string[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !fields.includes(name))));
  const amountsOf = (rows: Frame[]) => Object.fromEntries(rows.map(({ token, amount }) => [token, amount]));
  const addresses = (rows: Frame[]) => rows.map(({ address }) => address).sort();

  interface Followed {
    subscribe: Wanted;
    /** What is held after a frame. */
    apply(held: Frame, frame: Frame): Frame;
    /** What REST answers, and the part of both that has to be the same at rest. */
    rest(): Promise<Frame>;
    exact(held: Frame): unknown;
  }
  const put = (held: Frame[], rows: Frame[]): Frame[] => [
    ...new Map([...held, ...rows].map((row) => [row.address, row])).values(),
  ];
  const followed = (): Record<string, Followed> => {
    const all: Record<string, Followed> = {
      prices: {
        subscribe: { channel: 'prices', tokens },
        apply: (held, { type, data }) => (type === 'snapshot' ? data : put(held, data)),
        rest: async () => (await body(`/prices?tokens=${tokens.map((token) => `${slug}:${token}`)}`)).data,
        exact: (held) => without(held, 'change24hPercent', 'updatedAt'),
      },
      trending: {
        subscribe: { channel: 'trending', window: '24h' },
        apply: (_held, { data }) => data,
        rest: async () => (await body(`/trending?chain=${slug}&window=24h`)).data,
        exact: (held) => held,
      },
    };
    all.wallet = {
      subscribe: { channel: 'wallet', wallet, balances: true },
      apply: (held, { type, data, balances }) => {
        const rows = type === 'balances' ? data : balances;
        const amounts = { ...(type === 'snapshot' ? {} : held.amounts), ...amountsOf(rows) };
        if (type === 'snapshot') return { trades: data, amounts };
        return { trades: type === 'balances' ? held.trades : [...[...data].reverse(), ...held.trades], amounts };
      },
      rest: async () => ({
        trades: (await body(`/wallets/${slug}/${wallet}/trades?limit=200`)).data,
        amounts: amountsOf((await body(`/wallets/${slug}/${wallet}/holdings?limit=200`)).data),
      }),
      exact: ({ trades, amounts }) => [
        trades.slice(0, 50),
        Object.entries(amounts)
          .filter(([, amount]) => amount !== '0' && amount !== null)
          .sort(),
      ],
    };
    for (const board of ['new', 'graduated']) {
      all[`launchpad ${board}`] = {
        subscribe: { channel: 'launchpad', board },
        apply: (held, { type, data }) => {
          if (type === 'snapshot') return data;
          return type === 'add' ? put(held, data) : held.filter((row: Frame) => !addresses(data).includes(row.address));
        },
        rest: async () => (await body(`/launchpad/${board}?chain=${slug}`)).data,
        exact: (held) => [...held].sort((a, b) => (a.address < b.address ? -1 : 1)),
      };
    }
    for (const token of tokens) {
      const path = `/tokens/${slug}/${token}`;
      all[`token ${token}`] = {
        subscribe: { channel: 'token', token },
        apply: (held, { type, data }) => (type === 'snapshot' ? data : { ...held, ...data }),
        rest: async () => (await body(path))?.data ?? null,
        exact: (held) => held && without([held], 'trades'),
      };
      all[`holders ${token}`] = {
        subscribe: { channel: 'holders', token },
        apply: (_held, { data, complete, holders }) => ({ data, complete, holders }),
        rest: async () => {
          const none = { data: [], complete: false, holders: null };
          const { data, complete, holders } = (await body(`${path}/holders`)) ?? none;
          return { data, complete, holders };
        },
        exact: ({ data, ...held }) => ({ ...held, data: without(data, 'valueUsd') }),
      };
      all[`traders ${token}`] = {
        subscribe: { channel: 'traders', token },
        apply: (_held, { data }) => data,
        rest: async () => (await body(`${path}/traders`))?.data ?? [],
        exact: (held) => held.map(({ wallet, buys, sells, realizedUsd }: Frame) => [wallet, buys, sells, realizedUsd]),
      };
      if (family === 'evm') {
        all[`pairs ${token}`] = {
          subscribe: { channel: 'pairs', token },
          apply: (held, { type, data }) => (type === 'snapshot' ? data : put(held, data)),
          rest: async () => (await body(path))?.data.pools ?? [],
          exact: addresses,
        };
      }
    }
    return all;
  };

  it('start with what REST answers, and hold it while blocks come and are taken back', async () => {
    const channels = followed();
    const held: Record<string, Frame> = {};
    const problems: string[] = [];
    for (const [id, { subscribe, rest, apply, exact }] of Object.entries(channels)) {
      await door.follow(id, { ...subscribe, chain: slug }, (frame) => {
        problems.push(...undocumented(subscribe.channel, frame));
        count(`${frame.channel} ${frame.type}`);
        if (frame.type === 'subscribed') count(`${frame.channel} ${frame.resumed ? 'resumed' : 'begun'}`);
        if (frame.data !== undefined) held[id] = apply(held[id] ?? null, frame);
      });
      await until(`${id}: a snapshot`, () => id in held);
      expect({ id, held: exact(held[id]) }).toEqual({ id, held: exact(await rest()) });
    }
    const expected: Record<string, Frame> = {};
    const differs = (): string[] =>
      Object.entries(channels).flatMap(([id, { exact }]) =>
        JSON.stringify(exact(held[id])) === JSON.stringify(exact(expected[id])) ? [] : [id],
      );
    for (let seq = first; seq < last; ) {
      seq = Math.min(last, seq + 12);
      if (seq < last) await door.reconnect();
      await harness.advance(seq, Math.floor(seq * 0.7));
      await until(`${family} ${seed}: channels at ${seq} of ${last}`, async () => {
        // Whole tokens come every minute, the trending list every five seconds.
        clock.move(60_000);
        for (const [id, { rest }] of Object.entries(channels)) expected[id] = await rest();
        return differs().length === 0;
      });
      for (const id of Object.keys(channels)) count(`compared ${id.split(' ')[0]}`);
    }
    expect({ seed, problems }).toEqual({ seed, problems: [] });
  });
}

describe.each(worlds)('live channels over tables of a chain of %s, over %s (seed %i)', staysTrue);

describeWithKafka('live channels over Kafka (long)', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await startKafkaBroker();
  }, 120_000);
  afterAll(() => broker.stop(), 60_000);

  // One broker, a topic for each chain.
  describe.each([
    ['evm', 'event streams', testSeed(31)],
    ['solana', 'sockets', testSeed(31)],
  ] as const)('of a chain of %s, over %s (seed %i)', (family, way, seed) => {
    staysTrue(family, way, seed, () => openKafkaLog({ brokers: broker.brokers, clientId: `live-${family}` }));
  });
});

it('was compared, each channel', () => {
  const channels = ['token', 'prices', 'pairs', 'trending', 'holders', 'traders', 'wallet', 'launchpad'];
  const never = channels.filter((channel) => (happened[`compared ${channel}`] ?? 0) === 0);
  expect({ never, happened }).toEqual({ never: [], happened });
});
