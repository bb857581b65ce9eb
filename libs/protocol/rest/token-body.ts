import {
  amountOrNull,
  flag,
  flagOrNull,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  objectOrNull,
  text,
  textOrNull,
} from './field.js';
import { Meta } from './meta.js';

export class Launchpad {
  @text('Name of the launchpad.')
  name!: string;

  @numberOrNull('Progress along the curve, 0-100.')
  progressPercent!: number | null;

  @flag('True when the token has left the launchpad.')
  graduated!: boolean;

  @integerOrNull('When it left, Unix ms.')
  graduatedAt!: number | null;

  @textOrNull('The pool it left for.')
  graduatedPool!: string | null;
}

export class Socials {
  @textOrNull('Link.')
  twitter!: string | null;

  @textOrNull('Link.')
  telegram!: string | null;

  @textOrNull('Link.')
  website!: string | null;

  @textOrNull('Link.')
  discord!: string | null;
}

export class TokenPool {
  @text('Address of the pool.')
  address!: string;

  @text('Label of the venue.', { example: 'Uniswap V2' })
  dex!: string;

  @text('The other token of the pool; the wrapped address for the coin.')
  quoteToken!: string;

  @textOrNull("Symbol of the other token; the coin's plain symbol for its wrapped form.")
  quoteSymbol!: string | null;

  @numberOrNull('Both sides of the pool, valued in USD.')
  liquidityUsd!: number | null;

  @integerOrNull('When the pool was created, Unix ms; null when that was before the first indexed block.')
  createdAt!: number | null;
}

export class WindowStats {
  @numberOrNull('Change of the USD price over the window, in percent.')
  priceChangePercent!: number | null;

  @number('Volume in USD.')
  volumeUsd!: number;

  @integer('Trades that bought the token.')
  buys!: number;

  @integer('Trades that sold it.')
  sells!: number;

  @integer('Different wallets that bought it.')
  buyers!: number;

  @integer('Different wallets that sold it.')
  sellers!: number;

  @integer('All trades.')
  trades!: number;
}

export class TokenStats {
  @object(() => WindowStats, 'The last five minutes of block time.')
  '5m'!: WindowStats;

  @object(() => WindowStats, 'The last hour of block time.')
  '1h'!: WindowStats;

  @object(() => WindowStats, 'The last six hours of block time.')
  '6h'!: WindowStats;

  @object(() => WindowStats, 'The last 24 hours of block time.')
  '24h'!: WindowStats;
}

export class Safety {
  @numberOrNull('Share of the ten largest holders, 0-100.')
  top10Percent!: number | null;

  @numberOrNull('Share of the creator, 0-100.')
  creatorPercent!: number | null;

  @numberOrNull('Share of snipers, 0-100.')
  sniperPercent!: number | null;

  @numberOrNull('Share of bundlers, 0-100.')
  bundlerPercent!: number | null;

  @numberOrNull('Share of insiders, 0-100.')
  insiderPercent!: number | null;

  @numberOrNull('Burnt share of the liquidity, 0-100.')
  lpBurntPercent!: number | null;

  @flagOrNull('More can be minted.')
  mintable!: boolean | null;

  @flagOrNull('Balances can be frozen.')
  freezable!: boolean | null;

  @flagOrNull('Ownership was given up.')
  renounced!: boolean | null;

  @numberOrNull('Tax on a buy, 0-100.')
  buyTaxPercent!: number | null;

  @numberOrNull('Tax on a sell, 0-100.')
  sellTaxPercent!: number | null;
}

/** Everything known of one token. */
export class TokenBody {
  @text('Slug of the chain.', { example: 'eth' })
  chain!: string;

  @text('Address of the token.')
  address!: string;

  @textOrNull('Name, as the token says.')
  name!: string | null;

  @textOrNull('Symbol, as the token says.')
  symbol!: string | null;

  @textOrNull('https address of an image.')
  image!: string | null;

  @integerOrNull('When the token was created, Unix ms.')
  createdAt!: number | null;

  @textOrNull('Wallet that created the token.')
  creator!: string | null;

  @numberOrNull('USD for one whole token.')
  priceUsd!: number | null;

  @numberOrNull('Price times circulating supply.')
  marketCapUsd!: number | null;

  @numberOrNull('Both sides of all its pools, valued in USD.')
  liquidityUsd!: number | null;

  @integerOrNull('Number of holders; null while it is not measured.')
  holders!: number | null;

  @objectOrNull(() => Launchpad, 'Its launchpad; null for a token that was not launched on one.')
  launchpad!: Launchpad | null;

  @object(() => Socials, 'Links; always an object.')
  socials!: Socials;

  @integerOrNull('Decimals; null when the token does not say.')
  decimals!: number | null;

  @amountOrNull('Total supply when the token was first seen.')
  supply!: string | null;

  @amountOrNull('Supply less what is burnt; null while balances are not measured.')
  circulatingSupply!: string | null;

  @numberOrNull('Price times total supply.')
  fdvUsd!: number | null;

  @numberOrNull('Price in the coin of the chain.')
  priceNative!: number | null;

  @textOrNull('Description.')
  description!: string | null;

  @list(() => TokenPool, 'Its pools, deepest first; at most 200.')
  pools!: TokenPool[];

  @object(() => TokenStats, 'Trading over windows of block time that end at the block of `meta`.')
  stats!: TokenStats;

  @object(() => Safety, 'Shares and rights; null where not measured.')
  safety!: Safety;

  @integer('Time of the block of `meta`, Unix ms.')
  updatedAt!: number;
}

export class TokenAnswer {
  @object(() => TokenBody, 'The token.')
  data!: TokenBody;

  @object(() => Meta, 'The state this answer was read from.')
  meta!: Meta;
}
