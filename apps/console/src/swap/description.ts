import { shortId } from '../format/numbers.js';
import type { Coin } from './coins.js';
import { shownAmount } from './units.js';

/**
 * What a transaction does, as the router says it, with the tokens that this page knows by their names: the router says
 * base units and addresses, because those are all that a chain knows.
 */
export function readableDescription(text: string, coins: ReadonlyMap<string, Coin>): string {
  return text
    .replace(/(\d+) base units of (0x[0-9a-fA-F]{40})/g, (said, units: string, address: string) => {
      const coin = coins.get(address.toLowerCase());
      return coin === undefined ? said : `${shownAmount(BigInt(units), coin.decimals)} ${coin.symbol}`;
    })
    .replace(/0x[0-9a-fA-F]{40}/g, (address) => coins.get(address.toLowerCase())?.symbol ?? shortId(address));
}
