import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/**
 * Whom a chain's live interface serves at once, fixed: what each socket looks at, and how many do. Tokens and wallets are drawn from a
 * long tail; the same seed gives the same sockets.
 */
export interface Subjects {
  /** Tokens, those that trade most first; the first one is the hot one. */
  readonly tokens: readonly string[];
  readonly wallets: readonly string[];
}

interface Draw {
  readonly random: SeededRandom;
  readonly hot: string;
  token(): string;
  wallet(): string;
  /** One of the lists that many look at. */
  sharedList(): readonly string[];
}

const CHAIN = 'eth';
const SHARED_LISTS = 20;
const LIST_TOKENS = 20;
const OWN_LIST_TOKENS = 10;

/** Of a token's page. */
const page = (token: string) => [
  { channel: 'trades', chain: CHAIN, token },
  { channel: 'candles', chain: CHAIN, token, interval: '1m' },
  { channel: 'token', chain: CHAIN, token },
];

const MIX: readonly { what: string; percent: number; subscriptions(draw: Draw): object[] }[] = [
  {
    what: 'the page of the hot token: trades, candles, token, holders, pairs',
    percent: 10,
    subscriptions: ({ hot: token }) => [
      ...page(token),
      { channel: 'holders', chain: CHAIN, token },
      { channel: 'pairs', chain: CHAIN, token },
    ],
  },
  { what: 'the page of a token', percent: 40, subscriptions: (draw) => page(draw.token()) },
  {
    what: `prices: one of ${SHARED_LISTS} lists of ${LIST_TOKENS}`,
    percent: 15,
    subscriptions: (draw) => [{ channel: 'prices', chain: CHAIN, tokens: draw.sharedList() }],
  },
  {
    what: `prices: a list of its own of ${OWN_LIST_TOKENS}`,
    percent: 2,
    subscriptions: (draw) => [{ channel: 'prices', chain: CHAIN, tokens: listOf(OWN_LIST_TOKENS, draw.token) }],
  },
  {
    what: 'a wallet',
    percent: 13,
    subscriptions: (draw) => [{ channel: 'wallet', chain: CHAIN, wallet: draw.wallet() }],
  },
  {
    what: 'trending',
    percent: 10,
    subscriptions: ({ random }) => [{ channel: 'trending', chain: CHAIN, window: random.pick(['5m', '1h', '24h']) }],
  },
  {
    what: 'a board of launchpads',
    percent: 10,
    subscriptions: ({ random }) => [
      { channel: 'launchpad', chain: CHAIN, board: random.pick(['new', 'new', 'graduating', 'graduated']) },
    ],
  },
];

/** Channels that send at times of their own: their frames are counted, and wait for no block. */
export const OWN_PACE: ReadonlySet<string> = new Set(['trending', 'launchpad']);

/** The subscriptions of each socket, as messages. */
export function socketsOfMix(count: number, { tokens, wallets }: Subjects, seed: number): string[][] {
  const random = new SeededRandom(seed);
  const hot = tokens[0]!;
  const others = tokens.slice(1);
  /** A share u of the draws falls into the first u³ of them. */
  const tail = (of: readonly string[]): string => of[Math.floor(of.length * random.next() ** 3)]!;
  const token = (): string => tail(others);
  const shared = Array.from({ length: SHARED_LISTS }, () => listOf(LIST_TOKENS, token));
  const draw: Draw = { random, hot, token, wallet: () => tail(wallets), sharedList: () => random.pick(shared) };
  const messages = MIX.flatMap(({ percent, subscriptions }) =>
    Array.from({ length: Math.round((count * percent) / 100) }, () =>
      subscriptions(draw).map((subscription, at) =>
        JSON.stringify({ op: 'subscribe', id: `${at + 1}`, ...subscription }),
      ),
    ),
  );
  const drawn = messages.map((message) => ({ message, at: random.next() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ message }) => message);
}

/** Different ones. */
function listOf(count: number, one: () => string): string[] {
  const list = new Set<string>();
  while (list.size < count) list.add(one());
  return [...list];
}
