import { ChainsMeta } from './chain-body.js';
import { flag, integerOrNull, list, numberOrNull, object, objectOrNull, text, textOrNull } from './field.js';

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

/** Summary of a token: what every list of tokens shows of it, and the first part of everything known of one. */
export class SearchRow {
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
}

export class SearchAnswer {
  @list(() => SearchRow, 'Best match first. May hold fewer than `limit`; the list ends only where `next` is null.')
  data!: SearchRow[];

  @textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.')
  next!: string | null;

  @object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.')
  meta!: ChainsMeta;
}
