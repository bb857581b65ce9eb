import { allKeys, type Block, type ChainAccount, type Commitment, type Landed } from './chain-types.js';

/**
 * The blocks of the present chain with their indexes. Heights have no gaps; slots may. Every index covers the current
 * chain only: blocks that a fork removed are in none of them. The newest `depths.finalized` blocks may still be taken
 * away; what was final once stays final.
 */
export interface Depths {
  /** How many blocks the confirmed block is behind the newest. */
  confirmed: number;
  finalized: number;
}

export class Ledger {
  private blocks: Block[] = [];
  private readonly slots = new Map<number, Block>();
  private readonly hashes = new Map<string, Block>();
  private readonly signatures = new Map<string, Landed>();
  private readonly addresses = new Map<string, Landed[]>();
  private rootHeight = 0;
  private clearedTo = 0;

  constructor(
    private readonly depths: Depths,
    private readonly keep: number,
  ) {}

  get tip(): Block {
    return this.blocks[this.blocks.length - 1] as Block;
  }

  get first(): Block {
    return this.blocks[0] as Block;
  }

  get root(): Block {
    return this.atHeight(this.rootHeight) as Block;
  }

  at(commitment: Commitment): Block {
    if (commitment === 'processed') return this.tip;
    if (commitment === 'finalized') return this.root;
    return this.atHeight(Math.max(this.rootHeight, this.tip.height - this.depths.confirmed)) as Block;
  }

  atHeight(height: number): Block | undefined {
    return this.blocks[height - (this.blocks[0]?.height ?? 0)];
  }

  atSlot(slot: number): Block | undefined {
    return this.slots.get(slot);
  }

  byHash(hash: string): Block | undefined {
    return this.hashes.get(hash);
  }

  bySignature(signature: string): Landed | undefined {
    return this.signatures.get(signature);
  }

  /** Transactions that name an address, oldest first. */
  byAddress(address: string): readonly Landed[] {
    return this.addresses.get(address) ?? [];
  }

  has(block: Block): boolean {
    return this.atHeight(block.height) === block;
  }

  /** Blocks with heights in [from, to]. */
  range(from: number, to: number): Block[] {
    const first = this.first.height;
    return this.blocks.slice(Math.max(0, from - first), Math.max(0, to - first + 1));
  }

  /** Adds a block on the tip; returns whether old blocks were dropped. */
  add(block: Block): boolean {
    this.blocks.push(block);
    this.index(block);
    const root = Math.max(this.rootHeight, block.height - this.depths.finalized, this.first.height);
    // Blocks that become final now keep their changes until the next block: listeners have not got them yet.
    for (const final of this.range(this.clearedTo, this.rootHeight)) final.before.clear();
    this.clearedTo = this.rootHeight;
    this.rootHeight = root;
    if (this.blocks.length <= this.keep * 1.25) return false;
    const forgotten = this.blocks.length - this.keep;
    this.blocks = this.blocks.slice(forgotten);
    for (const index of [this.slots, this.hashes, this.signatures, this.addresses]) index.clear();
    for (const kept of this.blocks) this.index(kept);
    return true;
  }

  /** Takes the newest blocks away, back to `height`, and answers them oldest first. */
  cut(height: number): Block[] {
    const cut = this.blocks.splice(height - this.first.height + 1);
    for (const block of [...cut].reverse()) {
      this.slots.delete(block.slot);
      this.hashes.delete(block.hash);
      for (const landed of [...block.transactions].reverse()) {
        this.signatures.delete(landed.transaction.signature);
        for (const key of new Set(allKeys(landed))) {
          const list = this.addresses.get(key);
          if (list?.[list.length - 1] === landed) list.pop();
          if (list?.length === 0) this.addresses.delete(key);
        }
      }
    }
    return cut;
  }

  /** What an account was after `block`; `now` is the account after the newest one. */
  accountAt(block: Block, address: string, now: (address: string) => ChainAccount | null): ChainAccount | null {
    for (const later of this.range(block.height + 1, this.tip.height)) {
      const was = later.before.get(address);
      if (was !== undefined) return was;
    }
    return now(address);
  }

  /** Accounts that changed after `block`, with what they were then. */
  changesSince(block: Block): Map<string, ChainAccount | null> {
    const changes = new Map<string, ChainAccount | null>();
    for (const later of this.range(block.height + 1, this.tip.height)) {
      for (const [address, was] of later.before) if (!changes.has(address)) changes.set(address, was);
    }
    return changes;
  }

  private index(block: Block): void {
    this.slots.set(block.slot, block);
    this.hashes.set(block.hash, block);
    for (const landed of block.transactions) {
      this.signatures.set(landed.transaction.signature, landed);
      for (const key of new Set(allKeys(landed))) {
        const list = this.addresses.get(key);
        if (list) list.push(landed);
        else this.addresses.set(key, [landed]);
      }
    }
  }
}
