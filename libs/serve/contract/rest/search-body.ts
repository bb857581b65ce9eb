import { ChainsMeta } from './chain-body.js';
import { chainSlug, flag, integerOrNull, list, numberOrNull, object, objectOrNull, text, textOrNull } from './field.js';

export class Launchpad {
  @text('Name of the launchpad.', { example: 'pumpfun' })
  name!: string;

  @numberOrNull('Progress along the curve, 0-100.', { minimum: 0, maximum: 100, example: null })
  progressPercent!: number | null;

  @flag('True when the token has left the launchpad.')
  graduated!: boolean;

  @integerOrNull('When it left, Unix ms.', { example: null })
  graduatedAt!: number | null;

  @textOrNull('The pool it left for.', { example: null })
  graduatedPool!: string | null;
}

export class Socials {
  @textOrNull('Link.', { example: null })
  twitter!: string | null;

  @textOrNull('Link.', { example: null })
  telegram!: string | null;

  @textOrNull('Link.', { example: 'https://weth.io' })
  website!: string | null;

  @textOrNull('Link.', { example: null })
  discord!: string | null;
}

/** Summary of a token: what every list of tokens shows of it, and the first part of everything known of one. */
export class SearchRow {
  @chainSlug()
  chain!: string;

  @text('Address of the token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' })
  address!: string;

  @textOrNull('Name, as the token says.', { example: 'Wrapped Ether' })
  name!: string | null;

  @textOrNull('Symbol, as the token says.', { example: 'WETH' })
  symbol!: string | null;

  @textOrNull('https address of an image.', { example: null })
  image!: string | null;

  @integerOrNull('When the token was created, Unix ms; null when that was before the first indexed block.', {
    example: 1_700_000_000_000,
  })
  createdAt!: number | null;

  @textOrNull(
    'Wallet that created the token: the one that its launchpad names, else on EVM chains the sender of the transaction that minted it first. Null when that was before the first indexed block.',
    { example: null },
  )
  creator!: string | null;

  @numberOrNull('USD for one whole token.', { example: 2_513.42 })
  priceUsd!: number | null;

  @numberOrNull('Price times circulating supply.', { example: null })
  marketCapUsd!: number | null;

  @numberOrNull('Both sides of all its pools, valued in USD; null for a token in more than 5,000 pools.', {
    example: 182_400_512.7,
  })
  liquidityUsd!: number | null;

  @integerOrNull('Number of holders; null while it is not measured.', { example: null })
  holders!: number | null;

  @objectOrNull(() => Launchpad, 'Its launchpad; null for a token that was not launched on one.')
  launchpad!: Launchpad | null;

  @object(() => Socials, 'Links; always an object.')
  socials!: Socials;
}

export class SearchAnswer {
  @list(() => SearchRow, 'Best match first. May hold fewer than `limit`; the list ends only where `next` is null.')
  data!: SearchRow[];

  @textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null })
  next!: string | null;

  @object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.')
  meta!: ChainsMeta;
}
