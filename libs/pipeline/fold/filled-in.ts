import type { TokenRecord } from '#libs/protocol/blocks.js';

/**
 * What is known of a token with a further record of it: nulls are filled, what is known stays. The very record that was known
 * where the further one adds nothing.
 */
export function filledIn(known: TokenRecord | null, further: TokenRecord): TokenRecord {
  if (known === null) return further;
  const all: TokenRecord = {
    token: known.token,
    decimals: known.decimals ?? further.decimals,
    symbol: known.symbol ?? further.symbol,
    name: known.name ?? further.name,
    totalSupply: known.totalSupply ?? further.totalSupply,
  };
  return sameRecord(known, all) ? known : all;
}

export function sameRecord(a: TokenRecord | null, b: TokenRecord | null): boolean {
  if (a === null || b === null) return a === b;
  return a.decimals === b.decimals && a.symbol === b.symbol && a.name === b.name && a.totalSupply === b.totalSupply;
}
