// Room: an EVM chain that is built in memory, block by block. May import core, chain/amm, chain/chains.

import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { type BuiltBlock, makeBlock, type ReceiptTyping, type SignedIntent, signIntent } from './block-maker.js';
import { type CallContext, callContract, hasCode } from './contract-calls.js';
import type { CallIntent } from './intents.js';
import { MarketState } from './market-state.js';
import { OFFICIAL } from './official-addresses.js';
import { FOREIGN_V2_FACTORY, Traffic } from './traffic.js';

export type { BuiltBlock } from './block-maker.js';
export type { CallIntent } from './intents.js';

/**
 * A forkable EVM chain in memory. Every block ever built stays known by its hash; one path of them is canonical.
 * The same seed and the same calls give the same hashes.
 */
export interface ChainBuilderOptions {
  seed?: number;
  chainId?: number;
  /** Unix seconds of block 0. */
  genesisTime?: number;
  blockTimeSeconds?: number;
  /** Transactions in a random block, both ends included. */
  transactions?: [number, number];
  wallets?: number;
  /** Tokens besides WETH, USDC, USDT and DAI that exist from block 1 on. */
  extraTokens?: number;
  /** Type of each block's first receipt, as chains have them that begin a block with one of their own; else type 2. */
  firstReceipt?: ReceiptTyping;
}

const CONTRACTS: ReadonlySet<string> = new Set(Object.values(OFFICIAL));

export class ChainBuilder {
  readonly chainId: number;
  readonly seed: number;
  readonly wallets: readonly string[];
  /** Where the factories and multicall3 are, for a chain spec. */
  readonly addresses = OFFICIAL;
  private readonly random: SeededRandom;
  private readonly traffic: Traffic;
  private readonly blockTime: number;
  private readonly perBlock: [number, number];
  private readonly firstReceipt: ReceiptTyping | undefined;
  private readonly byHash = new Map<string, BuiltBlock>();
  private canonical: BuiltBlock[] = [];
  private readonly minedIn = new Map<string, Set<string>>();
  /** Signed, and not on the canonical path. */
  private pending: SignedIntent[] = [];
  private readonly listeners = new Set<() => void>();
  private salt = 0;

  constructor(options: ChainBuilderOptions = {}) {
    this.seed = options.seed ?? 1;
    this.chainId = options.chainId ?? 1;
    this.blockTime = options.blockTimeSeconds ?? 12;
    this.perBlock = options.transactions ?? [0, 6];
    this.firstReceipt = options.firstReceipt;
    this.random = new SeededRandom(this.seed);
    this.traffic = new Traffic(this.random, { wallets: options.wallets ?? 12, extraTokens: options.extraTokens ?? 6 });
    this.wallets = this.traffic.wallets;
    const setup = this.traffic.setup();
    this.append([], options.genesisTime ?? 1_700_000_000);
    for (const intents of setup) this.append(intents.map((intent) => signIntent(intent, this.chainId)));
  }

  get head(): BuiltBlock {
    return this.canonical[this.canonical.length - 1] as BuiltBlock;
  }

  get genesisHash(): string {
    return (this.canonical[0] as BuiltBlock).hash;
  }

  /** Canonical block, or null above the head. */
  blockByNumber(number: number): BuiltBlock | null {
    return this.canonical[number] ?? null;
  }

  /** Any block ever built. */
  blockByHash(hash: string): BuiltBlock | null {
    return this.byHash.get(hash) ?? null;
  }

  isCanonical(hash: string): boolean {
    const block = this.byHash.get(hash);
    return block !== undefined && this.canonical[block.number] === block;
  }

  canonicalBlocks(from = 0, to = this.head.number): BuiltBlock[] {
    return this.canonical.slice(from, to + 1);
  }

  /** Path from genesis to any known block. */
  pathTo(hash: string): BuiltBlock[] {
    const path: BuiltBlock[] = [];
    let block = this.byHash.get(hash);
    if (!block) throw new RangeError(`unknown block ${hash}`);
    while (block) {
      path.push(block);
      block = this.byHash.get(block.parentHash);
    }
    return path.reverse();
  }

  /** Appends random blocks to the head. */
  mine(count = 1, options: { transactions?: number } = {}): BuiltBlock[] {
    const made: BuiltBlock[] = [];
    for (let i = 0; i < count; i++) {
      const size = options.transactions ?? this.random.between(...this.perBlock);
      made.push(this.append(this.chooseIntents(size)));
    }
    this.changed();
    return made;
  }

  /** Appends one block with exactly these calls. */
  mineCalls(calls: readonly { from: string; call: CallIntent }[]): BuiltBlock {
    const block = this.append(calls.map(({ from, call }) => signIntent(this.traffic.sign(from, call), this.chainId)));
    this.changed();
    return block;
  }

  /** Makes the canonical block at `height` the head again. What was above stays known by hash. */
  rewind(height: number): void {
    if (height < 0 || height > this.head.number) throw new RangeError(`no canonical block ${height}`);
    this.drop(height);
    this.changed();
  }

  /** Replaces the newest `depth` blocks by `count` others; watchers see it as one step. */
  reorg(depth: number, count = depth + 1): BuiltBlock[] {
    if (depth < 1 || depth > this.head.number) throw new RangeError(`reorg ${depth} deep at ${this.head.number}`);
    this.drop(this.head.number - depth);
    const made: BuiltBlock[] = [];
    for (let i = 0; i < count; i++) made.push(this.append(this.chooseIntents(this.random.between(...this.perBlock))));
    this.changed();
    return made;
  }

  /** Makes any known block the head. */
  switchTo(hash: string): void {
    const path = this.pathTo(hash);
    let common = 0;
    while (common + 1 < path.length && path[common + 1] === this.canonical[common + 1]) common++;
    this.drop(common);
    this.canonical = path;
    this.pending = this.pending.filter((signed) => !this.isMined(signed));
    this.changed();
  }

  /** eth_call at the end of a block; throws Revert. */
  call(to: string, input: string, at: BuiltBlock = this.head): string {
    return callContract(this.context(at), to, input);
  }

  hasCode(address: string, at: BuiltBlock = this.head): boolean {
    return hasCode(this.context(at), address.toLowerCase());
  }

  /** Blocks (canonical or not) that hold a transaction. */
  blocksOf(transactionHash: string): BuiltBlock[] {
    return [...(this.minedIn.get(transactionHash) ?? [])].map((hash) => this.byHash.get(hash) as BuiltBlock);
  }

  /** Called after every change of the canonical path. Returns a function that ends it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private context(at: BuiltBlock): CallContext {
    return {
      state: at.state,
      number: at.number,
      timestamp: at.timestamp,
      v2Factories: new Set([OFFICIAL.v2Factory, FOREIGN_V2_FACTORY]),
      v3Factories: new Set([OFFICIAL.v3Factory]),
      multicall3: OFFICIAL.multicall3,
      contracts: CONTRACTS,
    };
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  private isMined({ hash }: SignedIntent): boolean {
    for (const block of this.minedIn.get(hash) ?? []) if (this.isCanonical(block)) return true;
    return false;
  }

  private drop(height: number): void {
    const dropped = this.canonical.splice(height + 1);
    const waiting = new Set(this.pending.map(({ hash }) => hash));
    for (const block of dropped) {
      for (const signed of block.intents) if (!waiting.has(signed.hash)) this.pending.push(signed);
    }
  }

  /** Most of what a reorg dropped is mined again, soon or late, in another order; some never. */
  private chooseIntents(size: number): SignedIntent[] {
    const chosen: SignedIntent[] = [];
    if (this.pending.length > 0) {
      this.random.shuffle(this.pending);
      const again = Math.min(this.pending.length, this.random.int(size + 3));
      chosen.push(...this.pending.splice(0, again));
      if (this.random.chance(0.1)) this.pending.length = 0;
    }
    while (chosen.length < size) chosen.push(signIntent(this.traffic.next(this.head.state), this.chainId));
    return chosen;
  }

  private append(intents: SignedIntent[], timestamp?: number): BuiltBlock {
    const parent = this.canonical.length > 0 ? this.head : null;
    const block = makeBlock({
      parent,
      timestamp: timestamp ?? (parent as BuiltBlock).timestamp + this.blockTime,
      intents,
      salt: `${this.seed} ${this.salt++}`,
      initialState: MarketState.empty(),
      firstReceipt: this.firstReceipt,
    });
    this.byHash.set(block.hash, block);
    this.canonical.push(block);
    for (const { hash } of intents) {
      const blocks = this.minedIn.get(hash) ?? new Set();
      blocks.add(block.hash);
      this.minedIn.set(hash, blocks);
    }
    return block;
  }
}
