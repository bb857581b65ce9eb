import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { type TokenChange, tokenChanges } from '#libs/chain/chains/solana/token/token-changes.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { launchesOf, type SolanaLaunchStep } from '#libs/chain/market-ports/solana/launches.js';
import { positionsOf, type SolanaPosition } from '#libs/chain/market-ports/solana/pool-positions.js';
import { type SolanaTrade, tradesOf } from '#libs/chain/market-ports/solana/trades.js';
import type { Hex } from '#libs/core/ids.js';
import type { PreparedBlocks, RawSolanaBlock } from './raw-block.js';
import type { SolanaTables } from './tables.js';

/** What a successful transaction says by itself, before anything that the log knows. */
export interface TransactionFacts {
  readonly index: number;
  readonly tx: SolanaTransaction;
  readonly trades: readonly SolanaTrade[];
  readonly positions: readonly SolanaPosition[];
  readonly launches: readonly SolanaLaunchStep[];
  readonly changes: readonly TokenChange[];
}

/** What the transactions of a block say, those that failed left out. Pure. */
export function readBlock(block: RawSolanaBlock, { venues, launchpads }: SolanaTables): readonly TransactionFacts[] {
  const facts: TransactionFacts[] = [];
  for (const { index, tx } of block.transactions) {
    if (tx.failed) continue;
    const [trades, launches, changes] = [tradesOf(tx, venues), launchesOf(tx, launchpads), tokenChanges(tx)];
    facts.push({ index, tx, trades, positions: positionsOf(tx, venues), launches, changes });
  }
  return facts;
}

/** What a run of blocks says and what was asked for it: kept together, so that each block is read once. */
export class PreparedRun implements PreparedBlocks {
  constructor(
    readonly answers: ReadonlyMap<string, SolanaAccount | null>,
    private readonly blocks: ReadonlyMap<RawSolanaBlock, readonly TransactionFacts[]>,
    private readonly tables: SolanaTables,
    /** Tokens that were asked again at the last of the blocks. */
    private readonly unfinished: readonly Hex[] = [],
  ) {}

  askedAgainAt(block: RawSolanaBlock): readonly Hex[] {
    return block === [...this.blocks.keys()].at(-1) ? this.unfinished : [];
  }

  facts(block: RawSolanaBlock): readonly TransactionFacts[] {
    return this.blocks.get(block) ?? readBlock(block, this.tables);
  }
}
