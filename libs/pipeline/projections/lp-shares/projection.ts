import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, TransferEvent } from '#libs/protocol/blocks.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { type KeyedRows, keyedProjection } from '../keyed-projection.js';
import { isBurnWallet, isZeroId, MOST_AMOUNT } from '../token-amounts.js';

/** Shares of a pool that is the token of its own shares, as every pair of Uniswap V2 and its forks is. */
export type LpShares = RowOf<typeof fields>;

const fields = {
  key: { pool: 'id' },
  values: {
    /** 1 where every transfer of its shares is in view: the log has its creation, and the shares add up since. */
    known: 'uint8',
    /** All shares there are, in raw units. */
    supply: 'uint256',
    /** Those of addresses without a key, the zero address among them: that part of the reserves never leaves the pool. */
    burnt: 'uint256',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    lpShares?: LpShares[];
  }
}

/** Whether the contract of an EVM pool is the token of its shares, with every transfer of them in view. */
export const hasShares = ({ kind, created }: PoolRecord): boolean =>
  created && (kind === 'constant-product' || kind === 'stable');

const isGrave = (id: Hex): boolean => isZeroId(id) || isBurnWallet(id);

/**
 * Supply and burnt shares of each pool, from the transfers of its shares. A pool ends shares that were sent back to it: they go from
 * the pool to the zero address and are no more. What others send there stays in the supply and is burnt. A block's transfers count
 * together. Shares that do not add up leave the pool without a row for good.
 */
export const lpShares = keyedProjection<LpShares>({
  name: 'lp-shares',
  version: 1,
  member: 'lpShares',
  fewRows: true,
  fields,
  fold({ pools, transfers }, rows, { reference }) {
    if (reference.family !== 'evm') return;
    const changed = new Map<Hex, LpShares>();
    for (const record of pools) {
      const { pool } = record;
      if (hasShares(record)) changed.set(pool, { pool, known: 1, supply: 0n, burnt: 0n });
    }
    addTransfers(transfers, rows, changed);
    for (const row of changed.values()) {
      const { pool, known, supply, burnt } = row;
      if (known === 0) continue;
      const addsUp = burnt >= 0n && burnt <= supply && supply <= MOST_AMOUNT;
      rows.set(addsUp ? row : { pool, known: 0, supply: 0n, burnt: 0n });
    }
  },
  *touches({ events, pools }) {
    for (const { pool } of pools) yield { pool };
    for (const event of events) if (event.kind === 'transfer') yield { pool: event.token };
  },
});

/** Changes the rows of the pools whose shares moved; a token that is no such pool has one with `known` 0. */
function addTransfers(
  transfers: BlockFacts['transfers'],
  rows: KeyedRows<LpShares>,
  changed: Map<Hex, LpShares>,
): void {
  for (const { token, from, to, amount } of transfers) {
    let row = changed.get(token);
    if (row === undefined) {
      row = { ...rows.get({ pool: token }) };
      changed.set(token, row);
    }
    if (row.known === 1) move(row, { from, to, amount });
  }
}

function move(row: LpShares, { from, to, amount }: Pick<TransferEvent, 'from' | 'to' | 'amount'>): void {
  const [minted, ended] = [isZeroId(from), from === row.pool && isZeroId(to)];
  if (minted) row.supply += amount;
  if (ended) {
    row.supply -= amount;
    return;
  }
  if (!minted && isGrave(from)) row.burnt -= amount;
  if (isGrave(to)) row.burnt += amount;
}
