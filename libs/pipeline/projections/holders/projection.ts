import type { Hex } from '#libs/core/ids.js';
import type { BalanceSample } from '#libs/protocol/blocks.js';
import { balances } from '../balances/projection.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { type FoldInput, keyedProjection } from '../keyed-projection.js';
import { hasShares } from '../lp-shares/projection.js';
import { isBurnWallet, isZeroId, MOST_AMOUNT } from '../token-amounts.js';

/**
 * How much is known of who holds a token. `incomplete`: there may be movements from before the index. `complete`: none of its
 * movements is out of view, and the balances add up. `doubted`: as complete, but the newest sample of a balance was another.
 * `broken`: the balances do not add up, or two samples in succession were others, and never will, because the token moves
 * amounts without transfers. One sample alone proves nothing: a node may answer of the block that it is about to take over.
 *
 * Complete is a token whose supply in view once was the supply that the chain states; the shares of a pool whose creation is in
 * view; and where the index begins with the chain, every token from its first mint on, the wrapped coin among them, which
 * states no supply on Solana.
 */
export const supplyCoverages = ['incomplete', 'complete', 'broken', 'doubted'] as const;

export type TokenHolders = RowOf<typeof fields>;

const fields = {
  key: { token: 'id' },
  values: {
    /** Wallets with a balance, burn addresses among them. */
    holders: 'uint64',
    /** Sum of all balances. Of a complete token it is `minted` less `burnt`. */
    held: 'uint256',
    minted: 'uint256',
    burnt: 'uint256',
    /** What burn addresses hold: part of the supply, not of the circulating supply. */
    dead: 'uint256',
    /** Total supply as the chain stated it with the token's record; 0 when it did not. */
    recorded: 'uint256',
    /** Index in `supplyCoverages`. */
    standing: 'uint8',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    tokenHolders?: TokenHolders[];
  }
}

const INCOMPLETE = supplyCoverages.indexOf('incomplete');
export const COMPLETE = supplyCoverages.indexOf('complete');
export const BROKEN = supplyCoverages.indexOf('broken');
const DOUBTED = supplyCoverages.indexOf('doubted');

/** Whether balances of a token are shown as what its wallets hold. */
export const isComplete = (counts: Pick<TokenHolders, 'standing'> | null | undefined): boolean =>
  counts?.standing === COMPLETE || counts?.standing === DOUBTED;

/** A chain's first block with transactions: nothing moved below it. */
const FIRST_HEIGHT = 1;

/** Number of holders and supply of each token, and whether its transfers are all in view. */
export const holders = keyedProjection<TokenHolders>({
  name: 'holders',
  version: 1,
  member: 'tokenHolders',
  fields,
  needs: [balances],
  fold(block, rows, input) {
    const { samples = [] } = input.group;
    if (block.transfers.length + block.tokens.length + block.pools.length + samples.length === 0) return;
    const { family, startHeight } = input.reference;
    const changed = new Map<Hex, TokenHolders>();
    const rowOf = (token: Hex): TokenHolders => {
      let row = changed.get(token);
      if (row === undefined) {
        row = { ...rows.get({ token }) };
        changed.set(token, row);
      }
      return row;
    };
    for (const { token, totalSupply } of block.tokens) {
      if (totalSupply !== null && totalSupply > 0n) rowOf(token).recorded = totalSupply;
    }
    if (family === 'evm') for (const pool of block.pools) if (hasShares(pool)) rowOf(pool.pool).standing = COMPLETE;
    addSupply(block, rowOf);
    for (const { before, after } of input.changes(balances)) {
      const row = rowOf(after.token);
      const change = after.amount - before.amount;
      row.held += change;
      row.holders += Number(after.amount > 0n) - Number(before.amount > 0n);
      if (isBurnWallet(after.wallet)) row.dead += change;
    }
    for (const [token, contradicted] of sampled(samples, input)) {
      const { standing } = rows.get({ token });
      if (contradicted && standing === COMPLETE) rowOf(token).standing = DOUBTED;
      if (contradicted && standing === DOUBTED) rowOf(token).standing = BROKEN;
      if (!contradicted && standing === DOUBTED) rowOf(token).standing = COMPLETE;
    }
    for (const row of changed.values()) rows.set(settled(row, startHeight <= FIRST_HEIGHT));
  },
  *touches({ events, tokens, pools, samples = [] }) {
    for (const { token } of tokens) yield { token };
    for (const { token } of samples) yield { token };
    for (const record of pools) if (hasShares(record)) yield { token: record.pool };
    for (const event of events) if (event.kind === 'transfer') yield { token: event.token };
  },
});

/** By token, whether some of its samples contradicts the transfers before the block. */
function sampled(samples: readonly BalanceSample[], input: Pick<FoldInput, 'before'>): Map<Hex, boolean> {
  const found = new Map<Hex, boolean>();
  for (const { token, wallet, amount } of samples) {
    const differs = input.before(balances, { token, wallet }).amount !== amount;
    found.set(token, differs || found.get(token) === true);
  }
  return found;
}

function addSupply({ transfers }: BlockFacts, rowOf: (token: Hex) => TokenHolders): void {
  for (const { token, from, to, amount } of transfers) {
    if (amount === 0n) continue;
    if (isZeroId(from)) rowOf(token).minted += amount;
    if (isZeroId(to)) rowOf(token).burnt += amount;
  }
}

/** Amounts that no column holds are cut, and the token's balances never add up again. */
function settled(row: TokenHolders, fromBeginning: boolean): TokenHolders {
  const { minted, burnt, held, dead, recorded } = row;
  const fits = minted <= MOST_AMOUNT && burnt <= MOST_AMOUNT && held <= MOST_AMOUNT;
  if (row.standing === BROKEN || !fits || held !== minted - burnt) {
    const cut = { minted: most(minted), burnt: most(burnt), held: most(held), dead: most(dead) };
    return { ...row, ...cut, standing: BROKEN };
  }
  const addsUp = (fromBeginning && minted > 0n) || (recorded > 0n && held === recorded);
  return row.standing === INCOMPLETE && addsUp ? { ...row, standing: COMPLETE } : row;
}

const most = (amount: bigint): bigint => (amount > MOST_AMOUNT ? MOST_AMOUNT : amount);
