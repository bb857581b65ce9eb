import type { Hex } from '#libs/core/ids.js';
import type { BlockAhead } from './blocks-ahead.js';
import {
  accepted,
  approval,
  balance,
  type Move,
  type MoveResult,
  settle,
  transfer,
  transferFrom,
  wordOf,
} from './moves.js';

/** Who takes part when the trading of a token is tried: all but the pool and the spender are accounts of no one. */
export interface TradingPlace {
  readonly token: Hex;
  /** What holds the tokens of the deepest pool. */
  readonly pool: Hex;
  /** What the pool has of the token. */
  readonly holding: bigint;
  /** What sellers approve: the venue's router where the chain says it. */
  readonly spender: Hex;
  readonly account: () => Hex;
  /** Null: the node cannot simulate blocks; then the moves are one trial. */
  readonly simulate: (blocks: readonly BlockAhead[]) => Promise<MoveResult[] | null>;
  /** Whether `simulate` moves as plain accounts do, in blocks of their own. */
  readonly plain: boolean;
}

/** What one way of moving a token did. `arrived` null: it was refused. */
export interface Moved {
  readonly sent: bigint;
  readonly arrived: bigint | null;
}

export interface Trading {
  /** The buy that went through, or the smallest that was refused. */
  readonly buy: Moved;
  /** Null: nothing was bought that could be moved on. */
  readonly move: Moved | null;
  readonly sale: Moved | null;
  /** When the sale went through: with the buy, in the next block, or only a day later. */
  readonly saleAfter: 'same block' | 'next block' | 'a day' | null;
}

/** Parts of what the pool has: a token may limit what one account buys. */
const PARTS = [1_000n, 100_000n, 10_000_000n] as const;
const DAY_S = 86_400;

/** What a transfer between two reads of the receiver's balance did. */
export function movedIn([before, result, after]: readonly MoveResult[], sent: bigint): Moved {
  const [had, has] = [wordOf(before!), wordOf(after!)];
  if (!accepted(result!) || had === null || has === null) return { sent, arrived: null };
  return { sent, arrived: has > had ? has - had : 0n };
}

export const measured = (token: Hex, receiver: Hex, move: Move): Move[] => [
  balance(token, receiver),
  move,
  balance(token, receiver),
];

/** A sale as a pool sees it: what came in since it last took what it has for what it should have. */
export const saleMoves = (token: Hex, spender: Hex, seller: Hex, pool: Hex, sent: bigint): Move[] => [
  ...measured(token, pool, transferFrom(token, spender, seller, pool, sent)),
  { from: null, to: pool, data: '0dfe1681' },
  { from: null, to: pool, data: '0902f1ac' },
];

/** A token that sells what it took as tax within a sale pays that into the pool too, and the pair has counted it already. */
export function saleIn(results: readonly MoveResult[], token: Hex, sent: bigint): Moved {
  const moved = movedIn(results, sent);
  const [first, reserves, has] = [wordOf(results[3]!), results[4]!, wordOf(results[2]!)];
  if (!moved.arrived || first === null || has === null || !reserves.ok || reserves.data.length < 128) return moved;
  const at = first === BigInt(`0x${token}`) ? 0 : 64;
  const uncounted = has - BigInt(`0x${reserves.data.slice(at, at + 64)}`);
  return { sent, arrived: uncounted < moved.arrived ? (uncounted > 0n ? uncounted : 0n) : moved.arrived };
}

/**
 * Buys from the deepest pool, hands a part on and sells a part. The pool itself sends what is bought and the spender takes what is
 * sold, which is all that a token sees of a trade on any venue; what arrives is measured, never believed.
 */
export async function tryTrading(place: TradingPlace): Promise<Trading | null> {
  const { token, pool, holding } = place;
  const buyer = place.account();
  let buy: Moved = { sent: 0n, arrived: null };
  for (const part of PARTS) {
    const sent = holding / part;
    if (sent === 0n) break;
    const results = await place.simulate([{ moves: measured(token, buyer, transfer(token, pool, buyer, sent)) }]);
    if (results === null) return null;
    buy = movedIn(results, sent);
    if (buy.arrived !== null && buy.arrived > 0n) break;
  }
  if (buy.arrived === null || buy.arrived < 3n) return { buy, move: null, sale: null, saleAfter: null };
  return sellOn(place, { buyer, buy, part: buy.arrived / 3n });
}

async function sellOn(
  place: TradingPlace,
  { buyer, buy, part }: { buyer: Hex; buy: Moved; part: bigint },
): Promise<Trading | null> {
  const { token, pool, spender } = place;
  const other = place.account();
  const bought = [transfer(token, pool, buyer, buy.sent), settle(pool, buyer)];
  const handed = measured(token, other, transfer(token, buyer, other, part));
  const sold = [approval(token, buyer, spender), ...saleMoves(token, spender, buyer, pool, part)];
  const tries: readonly [NonNullable<Trading['saleAfter']>, BlockAhead[]][] = [
    ['same block', [{ moves: [...bought, ...handed, ...sold] }]],
    ['next block', [{ moves: bought }, { moves: handed }, { moves: sold }]],
    ['a day', [{ moves: bought }, { moves: handed, after: DAY_S }, { moves: sold, after: DAY_S }]],
  ];
  let [move, sale]: [Moved | null, Moved | null] = [null, null];
  let saleAfter: Trading['saleAfter'] = null;
  for (const [after, blocks] of place.plain ? tries : tries.slice(0, 1)) {
    const results = await place.simulate(blocks);
    if (results === null) return null;
    const handedOn = movedIn(results.slice(2, 5), part);
    const soldNow = saleIn(results.slice(6), token, part);
    if (!(move?.arrived ?? 0n)) move = handedOn;
    if (!(sale?.arrived ?? 0n)) {
      sale = soldNow;
      saleAfter = sale.arrived ? after : null;
    }
    if (move?.arrived && sale?.arrived) break;
  }
  return { buy, move, sale, saleAfter };
}

/** What was kept, in basis points; a difference of two units is rounding. Null where too little was sent to tell. */
export function taxBps({ sent, arrived }: Moved): number | null {
  if (arrived === null) return null;
  if (arrived + 2n >= sent) return 0;
  return sent < 10_000n ? null : Number(((sent - arrived) * 10_000n + sent / 2n) / sent);
}
