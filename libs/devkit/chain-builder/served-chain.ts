import type { BuiltBlock, ChainBuilder } from './chain-builder.js';
import type { RpcLog } from './rpc-shapes.js';

/** What our test nodes serve: one path of blocks, each with ready-made JSON. */
export interface ServedChain {
  readonly chainId: number;
  /** Height of the newest block of the path. */
  readonly headHeight: number;
  blockAt(height: number): ServedBlock | null;
  /** Also finds blocks that left the path. */
  blockByHash(hash: string): ServedBlock | null;
  /** Where the path holds a transaction. */
  findTransaction(hash: string): { block: ServedBlock; index: number } | null;
  /** Calls back after every change of the path; returns a function that ends it. */
  onChange(listener: () => void): () => void;
}

export interface LogKey {
  readonly address: string;
  readonly topics: readonly string[];
}

export interface ServedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  headerJson(): string;
  blockJson(full: boolean): string;
  readonly logKeys: readonly LogKey[];
  logJson(index: number): string;
  /** The same text in pieces, behind what `out` holds. */
  addLog(index: number, out: string[]): void;
  readonly transactionCount: number;
  transactionJson(index: number): string;
  receiptJson(index: number): string;
  /** Indices in `logKeys` of a receipt's logs: [first, end). */
  receiptLogs(index: number): [number, number];
  /** eth_call at the end of the block; throws Revert. */
  call(to: string, input: string): string;
  hasCode(address: string): boolean;
}

/** Follows the canonical path of a builder, or stays on the path to one block. */
export class BuilderChain implements ServedChain {
  private readonly served = new WeakMap<BuiltBlock, BuilderBlock>();
  private pinned: BuiltBlock[] | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(readonly builder: ChainBuilder) {}

  get chainId(): number {
    return this.builder.chainId;
  }

  get headHeight(): number {
    return this.pinned ? this.pinned.length - 1 : this.builder.head.number;
  }

  /** Serves the path to a block, whatever the builder's canonical path is; null follows the builder again. */
  setTip(hash: string | null): void {
    this.pinned = hash === null ? null : this.builder.pathTo(hash);
    for (const listener of this.listeners) listener();
  }

  blockAt(height: number): ServedBlock | null {
    const block = this.pinned ? this.pinned[height] : this.builder.blockByNumber(height);
    return block ? this.wrap(block) : null;
  }

  blockByHash(hash: string): ServedBlock | null {
    const block = this.builder.blockByHash(hash);
    return block ? this.wrap(block) : null;
  }

  findTransaction(hash: string): { block: ServedBlock; index: number } | null {
    for (const block of this.builder.blocksOf(hash)) {
      if (this.blockAt(block.number)?.hash !== block.hash) continue;
      const index = block.transactions.findIndex((transaction) => transaction.hash === hash);
      return { block: this.wrap(block), index };
    }
    return null;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    const end = this.builder.onChange(() => {
      if (!this.pinned) listener();
    });
    return () => {
      this.listeners.delete(listener);
      end();
    };
  }

  private wrap(block: BuiltBlock): BuilderBlock {
    let wrapped = this.served.get(block);
    if (!wrapped) {
      wrapped = new BuilderBlock(this.builder, block);
      this.served.set(block, wrapped);
    }
    return wrapped;
  }
}

class BuilderBlock implements ServedBlock {
  private readonly logTexts: (string | undefined)[] = [];

  constructor(
    private readonly builder: ChainBuilder,
    private readonly block: BuiltBlock,
  ) {}

  get number(): number {
    return this.block.number;
  }

  get hash(): string {
    return this.block.hash;
  }

  get parentHash(): string {
    return this.block.parentHash;
  }

  get logKeys(): readonly RpcLog[] {
    return this.block.logs;
  }

  get transactionCount(): number {
    return this.block.transactions.length;
  }

  headerJson(): string {
    return JSON.stringify(this.block.header);
  }

  blockJson(full: boolean): string {
    const { header, transactions } = this.block;
    const listed = full ? transactions : transactions.map(({ hash }) => hash);
    return JSON.stringify({ ...header, size: '0x400', uncles: [], transactions: listed, withdrawals: [] });
  }

  addLog(index: number, out: string[]): void {
    out.push(this.logJson(index));
  }

  logJson(index: number): string {
    this.logTexts[index] ??= JSON.stringify(this.block.logs[index]);
    return this.logTexts[index];
  }

  transactionJson(index: number): string {
    return JSON.stringify(this.block.transactions[index]);
  }

  receiptJson(index: number): string {
    return JSON.stringify(this.block.receipts[index]);
  }

  receiptLogs(index: number): [number, number] {
    const logs = this.block.receipts[index]?.logs ?? [];
    const first = logs[0] ? Number(logs[0].logIndex) : 0;
    return [first, first + logs.length];
  }

  call(to: string, input: string): string {
    return this.builder.call(to, input, this.block);
  }

  hasCode(address: string): boolean {
    return this.builder.hasCode(address, this.block);
  }
}
