import type { Hex } from '#libs/core/ids.js';
import type { Right } from './known-functions.js';
import { approval, balance, type Move, type MoveResult, settle, supply, transfer, wordOf } from './moves.js';
import { measured, movedIn, saleIn, saleMoves } from './trading.js';

/** Who trades around a call that may change something. The call may name `holder` and `receiver`, never `second`. */
export interface EffectPlace {
  readonly token: Hex;
  readonly pool: Hex;
  readonly spender: Hex;
  readonly holder: Hex;
  readonly second: Hex;
  readonly other: Hex;
  readonly receiver: Hex;
  /** What the pool sends, and the part that is moved on. */
  readonly bought: bigint;
  readonly part: bigint;
}

/** What the trading around a call gave. A way of moving is null where it was refused or nothing arrived. */
export interface Seen {
  readonly called: boolean;
  readonly minted: bigint;
  readonly received: bigint;
  readonly holderKept: boolean;
  readonly holderGrew: boolean;
  readonly holder: { readonly move: bigint | null; readonly sale: bigint | null };
  readonly second: { readonly buy: bigint | null; readonly move: bigint | null; readonly sale: bigint | null };
}

/** The holder buys; the call; then holder and second trade. Null: nothing is called. */
export function effectMoves(place: EffectPlace, call: Move | null): Move[] {
  const { token, pool, spender, holder, second, other, receiver, bought, part } = place;
  const counts = [supply(token), balance(token, receiver), balance(token, holder)];
  return [
    transfer(token, pool, holder, bought),
    settle(pool, holder),
    approval(token, holder, spender),
    ...counts,
    call ?? supply(token),
    ...counts,
    ...measured(token, other, transfer(token, holder, other, part)),
    ...saleMoves(token, spender, holder, pool, part),
    ...measured(token, second, transfer(token, pool, second, bought)),
    settle(pool, second),
    approval(token, second, spender),
    ...measured(token, other, transfer(token, second, other, part)),
    ...saleMoves(token, spender, second, pool, part),
  ];
}

export function seenIn(results: readonly MoveResult[], { token, bought, part }: EffectPlace): Seen {
  const word = (at: number): bigint => wordOf(results[at]!) ?? 0n;
  const moved = (at: number, sent: bigint): bigint | null => movedIn(results.slice(at, at + 3), sent).arrived || null;
  const sold = (at: number): bigint | null => saleIn(results.slice(at), token, part).arrived || null;
  return {
    called: results[6]!.ok,
    minted: word(7) - word(3),
    received: word(8) - word(4),
    holderKept: word(9) >= word(5),
    holderGrew: word(9) > word(5),
    holder: { move: moved(10, part), sale: sold(13) },
    second: { buy: moved(18, bought), move: moved(23, part), sale: sold(26) },
  };
}

/** What a call changed, compared with the same trading without it. */
export function effectsOf(base: Seen, seen: Seen, plenty: bigint): Set<Right> {
  const effects = new Set<Right>();
  // A supply that grows for every holder is an elastic one, and no account got more than others.
  if ((seen.minted > base.minted && !seen.holderGrew) || seen.received >= plenty) effects.add('mint');
  const [off, on] = [switched(base, seen), switched(seen, base)];
  if (off.everybody || on.everybody) effects.add('pause');
  else if (seen.holderKept && off.holderAlone) effects.add('blacklist');
  const ways = ['buy', 'move', 'sale'] as const;
  if (ways.some((way) => differs(base.second[way], seen.second[way]))) effects.add('tax');
  return effects;
}

/** What went before a call and does not go after it: for everybody, or only for the holder that it may have named. */
function switched(before: Seen, after: Seen): { everybody: boolean; holderAlone: boolean } {
  const lost = (was: bigint | null, is: bigint | null): boolean => was !== null && is === null;
  const [holder, second] = [before.holder, before.second];
  const buy = lost(second.buy, after.second.buy);
  const moves = { holder: lost(holder.move, after.holder.move), second: lost(second.move, after.second.move) };
  const sales = { holder: lost(holder.sale, after.holder.sale), second: lost(second.sale, after.second.sale) };
  return {
    everybody: buy || (moves.holder && moves.second) || (sales.holder && sales.second),
    holderAlone: (moves.holder && !moves.second) || (sales.holder && !sales.second),
  };
}

/** More than rounding: by a basis point at least. */
function differs(before: bigint | null, after: bigint | null): boolean {
  if (before === null || after === null) return false;
  const apart = before > after ? before - after : after - before;
  return apart > 2n && apart * 10_000n >= before;
}
