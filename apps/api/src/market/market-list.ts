import type { Market } from '#libs/serve/reader/read-market.js';
import type { Listing } from './first-of.js';
import type { ListedToken } from './listed-token.js';

/** A list of the tokens of some markets. */
export interface MarketList<Row> {
  /** With `parameters`, what tells it from every other list. */
  readonly name: string;
  readonly parameters: object;
  /** Whether its order follows from what is known from outside of the chain, so that it changes without a block. */
  readonly readsAbout?: boolean;
  /** Throws where no token of these markets could be in it. */
  judge?(markets: readonly Market[]): void;
  /** So many of its first tokens, and how many it has. */
  first(markets: readonly Market[], limit: number): Promise<Listing<ListedToken>>;
  row(token: ListedToken): Row;
}
