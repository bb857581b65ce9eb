/** One of the two tokens of a swap. */
export interface PairSide {
  /** The chain's coin, wrapped or not. */
  readonly isCoin: boolean;
  /** Its price in USD moves; that of a stable does not change. */
  readonly moves: boolean;
}

/**
 * Whose candles show a pair: those of a token that moves, in the coin where the other side is the coin, else in USD; for a
 * pair of the coin and a stable those of the coin in USD. Null where neither moves.
 */
export function drawnOfPair<S extends PairSide>(sides: readonly S[]): { of: S; currency: 'usd' | 'native' } | null {
  const token = sides.find(({ isCoin, moves }) => moves && !isCoin);
  if (token !== undefined) return { of: token, currency: sides.some(({ isCoin }) => isCoin) ? 'native' : 'usd' };
  const coin = sides.find(({ moves }) => moves);
  return coin === undefined ? null : { of: coin, currency: 'usd' };
}
