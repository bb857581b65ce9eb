import type { SolanaTransaction, TokenBalance } from './transaction.js';

/** How one owner's holdings of a mint changed: over all its token accounts, base58 texts. */
export interface OwnerChange {
  readonly owner: string;
  change: bigint;
}

export interface MintChanges {
  readonly mint: string;
  /** In the order of each owner's first token account in the transaction. */
  readonly owners: OwnerChange[];
}

/**
 * What a transaction changed about token balances, by mint and owner. An account without a recorded owner counts as its
 * own owner. Invariant: a mint's changes add up to what was minted less what was burned; owners that end as they began
 * stay in the list with 0. A failed transaction changes nothing.
 */
export function movedBalances(tx: SolanaTransaction): MintChanges[] {
  if (tx.failed) return [];
  const { tokensBefore, tokensAfter } = tx;
  const mints: MintChanges[] = [];
  // Both lists ascend by account: together they are walked in account order.
  let before = 0;
  let after = 0;
  while (before < tokensBefore.length || after < tokensAfter.length) {
    const was = tokensBefore[before];
    const is = tokensAfter[after];
    if (was !== undefined && (is === undefined || was.account <= is.account)) {
      before++;
      add(tx, mints, was, -was.amount);
    } else {
      after++;
      add(tx, mints, is!, is!.amount);
    }
  }
  return mints;
}

function add(tx: SolanaTransaction, mints: MintChanges[], balance: TokenBalance, change: bigint): void {
  const owner = balance.owner || (tx.keys[balance.account] ?? '');
  let mint = mints.find((each) => each.mint === balance.mint);
  if (mint === undefined) {
    mint = { mint: balance.mint, owners: [] };
    mints.push(mint);
  }
  const known = mint.owners.find((each) => each.owner === owner);
  if (known === undefined) mint.owners.push({ owner, change });
  else known.change += change;
}
