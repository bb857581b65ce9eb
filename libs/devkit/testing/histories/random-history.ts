import type { Hex } from '#libs/core/ids.js';
import {
  type BlockGroup,
  type BlocksGroup,
  blockProofs,
  type EpochGroup,
  type ReferenceSet,
  type RetractGroup,
} from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';
import { type BlockDraft, buildBlock } from './block-draft.js';
import { withCoinPayments } from './coin-payments.js';
import { withFundedWallets } from './funded-wallets.js';
import { type HistoryWorld, type PendingTx, startWorld } from './history-world.js';
import { withPoolShares } from './pool-shares.js';
import { withTradingWallets } from './trading-wallets.js';

/**
 * Seeded random histories of one chain's `blocks`, obeying the rules of the log: gapless seq, an epoch group first,
 * parents that match, contiguous retractions, seals at surviving blocks, records before first use. They are meant to be
 * hostile: forks up to `deepest` blocks and below what was sealed, forks that come back to the very same block,
 * transactions mined again, pools seen in mid-life and anchored later, liquidity around the price thresholds, pegs that
 * break, tokens without decimals, swaps that are no trades.
 */
export interface HistoryOptions {
  /** Groups after the epoch group. */
  groups?: number;
  chain?: string;
  epoch?: number;
  /** Every third seed tells of a chain like Solana: slots left out, vaults, curves, several wallets a transaction. */
  family?: ReferenceSet['family'];
  startHeight?: number;
  /** Depth of the deepest retraction. */
  deepest?: number;
  /** Share of groups that are retractions. */
  retractions?: number;
  /** Most transactions in one block. */
  busiest?: number;
  /** Ms between blocks, at most. */
  blockTime?: number;
  startTime?: number;
  /** Few wallets trade, and swaps come with their transfers, on a chain like Solana with what was paid in the coin. */
  traders?: boolean;
  /** Few wallets send money to others, some of them before these trade. */
  funded?: boolean;
  /** Shares of pools move, as those of pairs of EVM chains do. */
  shares?: boolean;
}

export interface RandomHistory {
  seed: number;
  reference: ReferenceSet;
  groups: BlocksGroup[];
  /** What the simulated chain really holds at the log's end. */
  world: HistoryWorld;
}

interface ForkBlock {
  group: BlockGroup;
  world: HistoryWorld;
}

export function randomHistory(seed: number, options: HistoryOptions = {}): RandomHistory {
  const {
    groups: wanted = 200,
    family = seed % 3 === 0 ? 'solana' : 'evm',
    chain = family === 'evm' ? 'eth' : 'sol',
    epoch = 1,
    startHeight = 1_000,
    deepest = 64,
    retractions = 0.06,
    busiest = 6,
    blockTime = 20_000,
    startTime = Date.UTC(2026, 0, 30, 22),
    traders = false,
    funded = false,
    shares = false,
  } = options;
  const random = new SeededRandom(seed);
  const { reference, world: genesis } = startWorld(random, startHeight, family);
  const origin = { height: startHeight - 1, hash: random.chance(0.5) ? random.hex(32) : '', time: startTime };
  const base = { chain, epoch };
  const first: EpochGroup = { ...base, kind: 'epoch', seq: 0, ...origin, parentHash: '', reference };
  const groups: BlocksGroup[] = [first];

  const forks: ForkBlock[] = [];
  /** Block that a fork may come back to, by the hash of its parent. */
  const abandoned = new Map<Hex, ForkBlock>();
  let pending: PendingTx[] = [];
  let sealed = origin.height;

  const head = () => forks[forks.length - 1]?.group ?? { ...origin, parentHash: '' };

  while (groups.length <= wanted) {
    const seq = groups.length;
    const roll = random.next();
    if (roll < retractions && forks.length > 0) {
      const depth = Math.min(forks.length, random.chance(0.3) ? random.int(1, deepest) : random.int(1, 3));
      const gone = forks.splice(forks.length - depth);
      const { height, hash, parentHash, time } = head();
      groups.push({ ...base, kind: 'retract', seq, fromSeq: gone[0]!.group.seq, height, hash, parentHash, time });
      for (const block of gone) {
        abandoned.set(block.group.parentHash, block);
        pending.push(
          ...block.world.mined.map((tx) => ({ ...tx, actions: tx.actions.map((action) => ({ ...action })) })),
        );
      }
      pending = pending.slice(-40);
      sealed = Math.min(sealed, height);
    } else if (roll < retractions + 0.08 && forks.some((block) => block.group.height > sealed)) {
      const candidates = forks.filter((block) => block.group.height > sealed);
      const { height, hash, parentHash, time } = random.pick(candidates).group;
      const finalizedHeight = random.int(origin.height, height);
      groups.push({ ...base, kind: 'finalize', seq, height, hash, parentHash, time, finalizedHeight });
      sealed = height;
    } else {
      const parent = head();
      const again = abandoned.get(parent.hash);
      const block =
        again !== undefined && random.chance(0.25)
          ? { ...again, group: { ...again.group, seq } }
          : nextBlock(random, { ...base, seq, parent, world: forks[forks.length - 1]?.world ?? genesis }, pending, {
              busiest,
              blockTime,
            });
      const mined = new Set(block.group.txs.map((tx) => tx.id));
      pending = pending.filter((tx) => !mined.has(tx.id));
      forks.push(block);
      groups.push(block.group);
    }
  }
  const world = forks[forks.length - 1]?.world ?? genesis;
  // The zero id and the burn address do not trade.
  const traded = traders ? withTradingWallets(groups, world.wallets.slice(1, -1)) : groups;
  const paid = traders && family === 'solana' ? withCoinPayments(traded, reference) : traded;
  const given = funded ? withFundedWallets(paid, world.wallets.slice(1, -1), reference) : paid;
  return { seed, reference, groups: shares ? withPoolShares(given, world.wallets) : given, world };
}

interface NextBlock {
  chain: string;
  epoch: number;
  seq: number;
  parent: { height: number; hash: Hex; time: number };
  world: HistoryWorld;
}

function nextBlock(
  random: SeededRandom,
  next: NextBlock,
  pending: PendingTx[],
  limits: { busiest: number; blockTime: number },
): ForkBlock {
  const { chain, epoch, seq, parent } = next;
  const draft: BlockDraft = buildBlock(random, next.world, pending, limits.busiest);
  const time = parent.time + random.int(1, limits.blockTime) * (random.chance(0.02) ? 500 : 1);
  const group: BlockGroup = {
    kind: 'block',
    chain,
    epoch,
    seq,
    height: parent.height + (next.world.family === 'solana' ? random.int(1, 3) : 1),
    hash: random.hex(32),
    parentHash: parent.hash === '' ? random.hex(32) : parent.hash,
    time,
    source: random.pick(['stream', 'http', 'history'] as const),
    observedAt: time + random.int(0, 5_000),
    ...draft.body,
  };
  // No draw of its own: histories stay those of their seeds. One in four does not say.
  const proof = blockProofs[Number.parseInt(group.hash.slice(0, 2), 16) % 4];
  if (proof !== undefined) group.proof = proof;
  return { group, world: draft.world };
}

/** The blocks that are not retracted at the log's end, in order, with their own seq. */
export function survivors(groups: readonly BlocksGroup[]): BlockGroup[] {
  let alive: BlockGroup[] = [];
  for (const group of groups) {
    if (group.kind === 'block') alive.push(group);
    else if (group.kind === 'retract') alive = alive.filter((block) => block.height <= group.height);
  }
  return alive;
}

/** A log that holds nothing but the surviving chain: the epoch group and the survivors, numbered again. */
export function survivingGroups(groups: readonly BlocksGroup[]): BlocksGroup[] {
  const epoch = groups.filter((group) => group.kind === 'epoch');
  return [...epoch, ...survivors(groups)].map((group, seq) => ({ ...group, seq }));
}

/** Retractions that reach below what was sealed when they came. */
export function retractionsPastSeal(groups: readonly BlocksGroup[]): RetractGroup[] {
  let sealed = Number.NEGATIVE_INFINITY;
  const past: RetractGroup[] = [];
  for (const group of groups) {
    if (group.kind === 'finalize') sealed = Math.max(sealed, group.height);
    else if (group.kind === 'retract') {
      if (group.height < sealed) past.push(group);
      sealed = Math.min(sealed, group.height);
    }
  }
  return past;
}
