/** Base units of a token that are worth so many USD at its price. */
export function unitsOf(token: { decimals: number; usd: number }, usd: number): bigint {
  const scaled = Math.max(1, Math.round((usd / token.usd) * 1e6));
  return (BigInt(scaled) * 10n ** BigInt(token.decimals)) / 1_000_000n;
}
