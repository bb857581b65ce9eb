import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { retractFrom } from '#libs/devkit/testing/histories/fold-driver.js';
import { type HistoryOptions, randomHistory, survivors } from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { ChainFold, foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import {
  type Checkpoint,
  checkpointView,
  emptyCheckpoint,
  writeCheckpoint,
} from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { flipPointer } from '#libs/pipeline/store/market/pointer.js';
import { purgeRetracted } from '#libs/pipeline/store/market/purge.js';
import { sealCandles } from '#libs/pipeline/store/market/seal.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { encodeTables } from '#libs/pipeline/store/test/row-encoder.js';
import type { BlocksGroup, ReferenceSet, RetractGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { removeFolder } from '../remove-folder.js';

export interface RandomMarket {
  chain: ChainSpec;
  facts: FactsGroup[];
  /** What the facts were folded from, seq by seq. */
  recorded: BlocksGroup[];
  reference: ReferenceSet;
}

/** Facts of a random history, as the project stage would make them, and the chain they are of. */
export function randomMarket(seed: number, options: HistoryOptions = {}): RandomMarket {
  const { groups, reference } = randomHistory(seed, { family: 'evm', ...options });
  return { chain: chainOf(reference), facts: foldAll(groups), recorded: groups, reference };
}

/** Blocks that a served market keeps, whatever is retracted. */
const LEAST_BLOCKS = 8;

/**
 * A random market that has blocks to serve from its first quarter on: the first one from the seed on whose retractions
 * leave some. That a chain without any block is refused is another spec's.
 */
export function servedMarket(seed: number, options: HistoryOptions = {}): RandomMarket {
  for (let n = 0; ; n++) {
    const market = randomMarket(seed + n * 1_000_003, options);
    let alive: number[] = [];
    const least = market.facts.map((group) => {
      if (group.kind === 'block') alive.push(group.height);
      else if (group.kind === 'retract') alive = alive.filter((height) => height <= group.height);
      return alive.length;
    });
    if (Math.min(...least.slice(Math.ceil(least.length / 4))) >= LEAST_BLOCKS) return market;
  }
}

/** The chain `eth` or `sol` with the coin and the stables that the history uses. */
function chainOf(reference: ReferenceSet): ChainSpec {
  const { token, symbol, decimals } = reference.coin;
  const chain = chainSpec(reference.family === 'evm' ? 'eth' : 'sol')!;
  const stables = reference.stables.map((stable) => ({ token: stable, symbol: 'USD', decimals: 18 }));
  return { ...chain, wrappedNative: { token, symbol, decimals }, stables };
}

export function foldAll(groups: readonly BlocksGroup[]): FactsGroup[] {
  let fold = ChainFold.empty();
  return groups.map((group, index) => {
    const hash = groupHash(encodeBlocksGroup(group));
    if (group.kind !== 'retract' || fold.canRetract(group)) return fold.apply(group, hash);
    const below = refold(groups.slice(0, index), group);
    const facts = retractFrom(below, fold, group, hash);
    fold = below;
    return facts;
  });
}

function refold(before: readonly BlocksGroup[], retraction: RetractGroup): ChainFold {
  const fold = ChainFold.empty();
  const first = before[0]!;
  if (first.kind !== 'epoch') throw new Error('a history starts with its epoch group');
  fold.applySurvivor(first);
  for (const block of survivors(before)) if (block.height <= retraction.height) fold.applySurvivor(block);
  return fold;
}

/** A plain sink: writes facts into the tables of one generation, a checkpoint row after each batch. */
export class PlainSink {
  checkpoint: Checkpoint;

  constructor(
    readonly store: AnalyticsStore,
    readonly tables: MarketTables,
    epoch: number,
  ) {
    this.checkpoint = emptyCheckpoint({ generation: tables.generation, epoch, foldVersion });
  }

  async write(groups: FactsGroup[]): Promise<Checkpoint> {
    if (groups.length === 0) return this.checkpoint;
    const token = `g${this.tables.generation}-${groups[0]!.seq}-${groups[groups.length - 1]!.seq}`;
    for (const batch of encodeTables(groups)) await this.tables.insert(batch, token);
    for (const group of groups) this.checkpoint = advance(this.checkpoint, group);
    await writeCheckpoint(this.tables, this.checkpoint);
    return this.checkpoint;
  }

  /** Seals the candles of every bucket that closed with a sealed block. */
  async seal(): Promise<Checkpoint> {
    const { seq, sealedTime, sealedBlockTime } = this.checkpoint;
    if (sealedBlockTime <= sealedTime) return this.checkpoint;
    const view = checkpointView(this.checkpoint);
    await sealCandles(this.tables, { fromTime: sealedTime, toTime: sealedBlockTime, sealSeq: seq, view });
    this.checkpoint = {
      ...this.checkpoint,
      step: this.checkpoint.step + 1,
      sealSeq: seq,
      sealedTime: sealedBlockTime,
    };
    await writeCheckpoint(this.tables, this.checkpoint);
    return this.checkpoint;
  }

  /** Deletes what was retracted so far, after a checkpoint row that says so. */
  async purge(): Promise<void> {
    const gone = this.checkpoint.retracted;
    if (gone.length === 0) return;
    const purgedSeq = Math.max(...gone.map(({ retractSeq }) => retractSeq));
    this.checkpoint = { ...this.checkpoint, step: this.checkpoint.step + 1, purgedSeq };
    await writeCheckpoint(this.tables, this.checkpoint);
    await purgeRetracted(this.tables, gone);
    this.checkpoint = { ...this.checkpoint, step: this.checkpoint.step + 1, retracted: [] };
    await writeCheckpoint(this.tables, this.checkpoint);
  }

  /** `atOnce`: it replaces nothing that readers could wait for. */
  flip({ atOnce = false } = {}): Promise<void> {
    const { generation, epoch, seq } = this.checkpoint;
    return flipPointer(this.store, this.tables.chain, { generation, epoch, foldVersion, seq: atOnce ? -1 : seq });
  }
}

function advance(checkpoint: Checkpoint, group: FactsGroup): Checkpoint {
  const next: Checkpoint = { ...checkpoint, seq: group.seq, step: 0 };
  if (group.kind === 'finalize') {
    next.sealedHeight = Math.max(next.sealedHeight, group.height);
    next.finalizedHeight = Math.max(next.finalizedHeight, group.finalizedHeight);
    next.sealedBlockTime = Math.max(next.sealedBlockTime, group.time);
    return next;
  }
  next.height = group.height;
  next.hash = group.hash;
  next.time = group.time;
  next.proof = group.kind === 'epoch' ? undefined : group.proof;
  if (group.kind === 'retract') {
    next.retracted = [...next.retracted, { fromSeq: group.fromSeq, retractSeq: group.seq }];
    next.finalizedHeight = Math.min(next.finalizedHeight, group.height);
    next.sealedHeight = Math.min(next.sealedHeight, group.height);
    next.sealedBlockTime = Math.min(next.sealedBlockTime, group.time);
    next.sealedTime = Math.min(next.sealedTime, group.time);
  }
  return next;
}

/** chDB in a temporary folder. */
export async function temporaryStore(): Promise<{ store: AnalyticsStore; dispose(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'tidepool-tail-'));
  const store = await openChdbStore({ dir: join(dir, 'chdb'), sessions: 2 });
  return {
    store,
    dispose: async () => {
      await store.close();
      await removeFolder(dir);
    },
  };
}

/** Seeds of a random test, new ones each time. */
export const seeds = (count: number): number[] => propertySeeds(scaled(count), testSeed());
