import { launchesOf, type SolanaLaunchStep } from '#libs/chains/solana/launches.js';
import { type TokenChange, tokenChanges } from '#libs/chains/solana/token/token-changes.js';
import { type SolanaTrade, tradesOf } from '#libs/chains/solana/trades.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import type { RawSolanaBlock } from './raw-block.js';
import type { SolanaTables } from './tables.js';

/** What a successful transaction says by itself, before anything that the log knows. */
export interface TransactionFacts {
  readonly index: number;
  readonly tx: SolanaTransaction;
  readonly trades: readonly SolanaTrade[];
  readonly launches: readonly SolanaLaunchStep[];
  readonly changes: readonly TokenChange[];
}

/** Reads each block once, however often it is asked for: what is read lives as long as the block. */
export class BlockReader {
  private readonly blocks = new WeakMap<RawSolanaBlock, readonly TransactionFacts[]>();

  constructor(private readonly tables: SolanaTables) {}

  read(block: RawSolanaBlock): readonly TransactionFacts[] {
    let facts = this.blocks.get(block);
    if (facts === undefined) {
      facts = block.transactions.filter(({ tx }) => !tx.failed).map(({ index, tx }) => this.facts(index, tx));
      this.blocks.set(block, facts);
    }
    return facts;
  }

  private facts(index: number, tx: SolanaTransaction): TransactionFacts {
    const { venues, launchpads } = this.tables;
    return { index, tx, trades: tradesOf(tx, venues), launches: launchesOf(tx, launchpads), changes: tokenChanges(tx) };
  }
}
