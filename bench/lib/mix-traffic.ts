import type { Hex } from '#libs/core/ids.js';
import { marketTraffic, type TrafficOptions } from '#libs/devkit/testing/histories/market-traffic.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { BlockGroup, BlocksGroup, ChainEvent } from '#libs/protocol/blocks.js';

/**
 * The traffic of a busy chain with wallets that come again and with launches: one token starts on a curve in each block, some of those
 * before move on theirs.
 */
export interface MixTraffic extends TrafficOptions {
  wallets: number;
  /** Time of the first block. */
  startTime: number;
}

/** Of every token of the traffic. */
const SUPPLY = 10n ** 27n;
const MOVES = 5;
const KEPT = 100;

export function mixTraffic(seed: number, options: MixTraffic) {
  const random = new SeededRandom(seed + 1);
  const wallets = Array.from({ length: options.wallets }, () => random.hex(20));
  const tokens: Hex[] = [];
  const groups = (function* (): Generator<BlocksGroup, void> {
    const launched: Hex[] = [];
    for (const group of marketTraffic(seed, options)) {
      if (group.kind !== 'block') {
        yield group;
        continue;
      }
      // The coin and the stables come first, then the tokens, the hot one first.
      if (group.tokens.length > 0) tokens.push(...group.tokens.slice(4).map(({ token }) => token));
      const block = { ...group, time: options.startTime + group.time };
      if (tokens.length > 0 && group.tokens.length > 0) block.events = mints(tokens[0]!, wallets);
      yield group.tokens.length > 0
        ? block
        : withLaunches(withWallets(block, wallets, random), tokens, launched, random);
    }
  })();
  return { wallets, tokens, groups };
}

/** All of the supply of a token, to all wallets, most to the first: then its holders are known. */
function mints(token: Hex, wallets: readonly Hex[]): ChainEvent[] {
  const weights = wallets.map((_, at) => SUPPLY / BigInt(at + 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  let left = SUPPLY;
  return wallets.map((to, at): ChainEvent => {
    const amount = at === wallets.length - 1 ? left : (SUPPLY * weights[at]!) / all;
    left -= amount;
    return { kind: 'transfer', tx: 0, ordinal: at, token, from: '00'.repeat(20), to, amount };
  });
}

/** Each transaction is of one of the wallets, which trade in a long tail. */
function withWallets(block: BlockGroup, wallets: readonly Hex[], random: SeededRandom): BlockGroup {
  const senders = block.txs.map(() => wallets[Math.floor(wallets.length * random.next() ** 3)]!);
  const txs = block.txs.map((tx, at) => ({ ...tx, sender: senders[at]! }));
  const events = block.events.map((event): ChainEvent => {
    const wallet = senders[event.tx]!;
    if (event.kind === 'transfer') return { ...event, from: wallet };
    return event.kind === 'swap' ? { ...event, sender: wallet, recipient: wallet } : event;
  });
  return { ...block, txs, events };
}

function withLaunches(block: BlockGroup, tokens: readonly Hex[], launched: Hex[], random: SeededRandom): BlockGroup {
  const tx = block.txs.length - 1;
  const party = block.txs[tx]!.sender;
  const curveOf = (token: Hex): Hex => `c0${token.slice(2)}`;
  const events = [...block.events];
  const add = (token: Hex, step: 'created' | 'progress', progressPpm: number): void => {
    const of = { launchpad: 'pumpfun', token, curve: curveOf(token) };
    const maker = step === 'created' ? party : null;
    events.push({ kind: 'launch', tx, ordinal: events.length, ...of, step, party: maker, progressPpm });
  };
  const next = tokens[tokens.length - 1 - launched.length];
  if (next !== undefined) {
    launched.push(next);
    add(next, 'created', 0);
  }
  for (let moves = 0; moves < MOVES; moves++) {
    const token = random.pick(launched.slice(-KEPT));
    if (token !== next) add(token, 'progress', random.int(1, 990_000));
  }
  return { ...block, events };
}
