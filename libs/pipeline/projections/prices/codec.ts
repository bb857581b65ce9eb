import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import type { PriceFact } from '#libs/protocol/facts.js';

/** Spots, one after the other. */
export function writePrices(out: GroupWriter, prices: readonly PriceFact[]): void {
  out.varuint(prices.length);
  for (const price of prices) {
    out.id(price.token);
    out.idOrNull(price.pool);
    out.idOrNull(price.quote);
    out.unsignedOrNull(price.spot);
    out.u8(price.level);
  }
}

export function readPrices(input: GroupReader): PriceFact[] {
  const prices: PriceFact[] = [];
  for (let left = input.count(5); left > 0; left--) {
    prices.push({
      token: input.id(),
      pool: input.idOrNull(),
      quote: input.idOrNull(),
      spot: input.unsignedOrNull(),
      level: input.u8(),
    });
  }
  return prices;
}
