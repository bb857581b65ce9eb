import { type TokenRisk, tokenRisks } from '#libs/protocol/token-safety.js';
import { payload } from '../schema/property.js';
import { ChainsMeta } from './chain-body.js';
import {
  chainSlug,
  flag,
  integerOrNull,
  list,
  numberOrNull,
  object,
  objectOrNull,
  text,
  textListOrNull,
  textOrNull,
} from './field.js';
import { worthFields } from './worth-body.js';

export class Launchpad extends payload({
  name: text('Name of the launchpad.', { example: 'pumpfun' }),
  progressPercent: numberOrNull('Progress along the curve, 0-100.', { minimum: 0, maximum: 100, example: null }),
  graduated: flag('True when the token has left the launchpad.'),
  graduatedAt: integerOrNull('When it left, Unix ms.', { example: null }),
  graduatedPool: textOrNull('The pool it left for.', { example: null }),
}) {}

export class Socials extends payload({
  twitter: textOrNull('Link.', { example: null }),
  telegram: textOrNull('Link.', { example: null }),
  website: textOrNull('Link.', { example: 'https://weth.io' }),
  discord: textOrNull('Link.', { example: null }),
}) {}

/** Summary of a token: what every list of tokens shows of it, and the first part of everything known of one. */
export class SearchRow extends payload({
  chain: chainSlug(),
  address: text('Address of the token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  name: textOrNull('Name, as the token says.', { example: 'Wrapped Ether' }),
  symbol: textOrNull('Symbol, as the token says.', { example: 'WETH' }),
  image: textOrNull('https address of an image.', { example: null }),
  createdAt: integerOrNull('When the token was created, Unix ms; null when that was before the first indexed block.', {
    example: 1_700_000_000_000,
  }),
  creator: textOrNull(
    'Wallet that created the token: the one that its launchpad names, else on EVM chains the sender of the transaction that minted it first. Null when that was before the first indexed block.',
    { example: null },
  ),
  priceUsd: numberOrNull('USD for one whole token.', { example: 2_513.42 }),
  marketCapUsd: numberOrNull('Price times circulating supply; null above 100,000 times `exitUsd`.', { example: null }),
  liquidityUsd: numberOrNull(
    'What all its pools hold, valued in USD: coin and stablecoins, other tokens they are quoted in as far as those can be sold, and the token for no more than that again. Null for a token in more than 5,000 pools.',
    {
      example: 182_400_512.7,
    },
  ),
  ...worthFields,
  holders: integerOrNull('Number of holders; null while it is not measured.', { example: null }),
  launchpad: objectOrNull(() => Launchpad, 'Its launchpad; null for a token that was not launched on one.'),
  socials: object(() => Socials, 'Links; always an object.'),
  risks: textListOrNull<TokenRisk>(
    'What was shown of the token that a trader is warned of, the worst first (docs/safety.md); null before the first look, as on Solana.',
    { enum: [...tokenRisks], example: [] },
  ),
}) {}

export class SearchAnswer extends payload({
  data: list(
    () => SearchRow,
    'Best match first. May hold fewer than `limit`; the list ends only where `next` is null.',
  ),
  next: textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.'),
}) {}
