import type { Hex } from '#libs/core/ids.js';
import { balances } from '#libs/pipeline/projections/balances/projection.js';
import { holders } from '#libs/pipeline/projections/holders/projection.js';
import { traderTags } from '#libs/pipeline/projections/trader-tags/projection.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { rowsIn } from '#libs/serve/reader/rows-in.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';

/** What a key of a channel hears of its chain, in the turn in which the reader's state changes. */
export interface FeedListener {
  /** A block that its interest names, or any retraction. */
  onGroup(entry: TailEntry): void;
  /** What is served does not continue the groups before. */
  onReset(): void;
  /** The chain answers again. */
  onAvailable(): void;
}

/** Which blocks of a chain matter to a listener: those with trades of any of these, and what else it names. */
export interface FeedInterest {
  readonly tokens?: readonly Hex[];
  readonly wallets?: readonly Hex[];
  readonly pools?: readonly Hex[];
  /** Blocks in which these tokens become known. */
  readonly recordsOf?: readonly Hex[];
  /** Blocks in which pools of these tokens become known. */
  readonly poolsOf?: readonly Hex[];
  /** Blocks that change who holds these tokens. */
  readonly holdersOf?: readonly Hex[];
  /** Blocks that change what these wallets hold. */
  readonly holdingsOf?: readonly Hex[];
  /** Blocks that change tags of wallets with these tokens. */
  readonly tagsOf?: readonly Hex[];
  /** Blocks that change tags of these wallets. */
  readonly tagged?: readonly Hex[];
  /** Also blocks that change the coin's price. */
  readonly references?: boolean;
  /** Every block: a launchpad board or another list over all tokens. */
  readonly everyBlock?: boolean;
}

type ById = Map<Hex, Set<FeedListener>>;

const named = [
  'tokens',
  'wallets',
  'pools',
  'recordsOf',
  'poolsOf',
  'holdersOf',
  'holdingsOf',
  'tagsOf',
  'tagged',
] as const;

/** The listeners of one chain by what they are interested in. A block pays only for what is named. */
export class FeedListeners {
  private readonly all = new Set<FeedListener>();
  private readonly byReferences = new Set<FeedListener>();
  private readonly byBlock = new Set<FeedListener>();
  private readonly by = Object.fromEntries(named.map((name) => [name, new Map()])) as Record<
    (typeof named)[number],
    ById
  >;

  get size(): number {
    return this.all.size;
  }

  [Symbol.iterator](): IterableIterator<FeedListener> {
    return [...this.all][Symbol.iterator]();
  }

  /** The answer takes the listener away again. */
  add(interest: FeedInterest, listener: FeedListener): () => void {
    this.all.add(listener);
    if (interest.references) this.byReferences.add(listener);
    if (interest.everyBlock) this.byBlock.add(listener);
    for (const name of named) for (const id of interest[name] ?? []) addTo(this.by[name], id, listener);
    return () => {
      this.all.delete(listener);
      this.byReferences.delete(listener);
      this.byBlock.delete(listener);
      for (const name of named) for (const id of interest[name] ?? []) removeFrom(this.by[name], id, listener);
    };
  }

  /** Those to whom a block matters. */
  concernedBy(facts: FactsBlock): ReadonlySet<FeedListener> {
    const { tokens, wallets, pools, recordsOf, poolsOf, holdersOf, holdingsOf, tagsOf, tagged } = this.by;
    const concerned = new Set(this.byBlock);
    const collect = (listeners: ById, id: Hex): void => {
      const found = listeners.get(id);
      if (found !== undefined) for (const listener of found) concerned.add(listener);
    };
    if (facts.references.length > 0) for (const listener of this.byReferences) concerned.add(listener);
    for (const { base, quote, wallet, pool } of facts.trades) {
      collect(tokens, base);
      collect(tokens, quote);
      if (wallets.size > 0) collect(wallets, wallet);
      if (pools.size > 0) collect(pools, pool);
    }
    if (pools.size > 0) for (const { pool } of facts.poolStates) collect(pools, pool);
    if (recordsOf.size > 0) for (const { token } of facts.tokens) collect(recordsOf, token);
    if (poolsOf.size > 0) {
      for (const { token0, token1 } of facts.pools) {
        collect(poolsOf, token0);
        collect(poolsOf, token1);
      }
    }
    if (holdersOf.size > 0) for (const row of rowsIn(holders, facts)) collect(holdersOf, row.token as Hex);
    if (holdersOf.size + holdingsOf.size > 0) {
      for (const { token, wallet } of rowsIn(balances, facts)) {
        collect(holdersOf, token as Hex);
        collect(holdingsOf, wallet as Hex);
      }
    }
    if (tagsOf.size + tagged.size > 0) {
      for (const { token, wallet } of rowsIn(traderTags, facts)) {
        collect(tagsOf, token as Hex);
        collect(tagged, wallet as Hex);
      }
    }
    return concerned;
  }
}

function addTo(listeners: ById, id: Hex, listener: FeedListener): void {
  const known = listeners.get(id);
  if (known === undefined) listeners.set(id, new Set([listener]));
  else known.add(listener);
}

function removeFrom(listeners: ById, id: Hex, listener: FeedListener): void {
  const left = listeners.get(id);
  left?.delete(listener);
  if (left?.size === 0) listeners.delete(id);
}
