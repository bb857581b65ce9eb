import {
  flag,
  integer,
  list,
  object,
  objectOrNull,
  optionalInteger,
  optionalIntegerList,
  optionalText,
  text,
  textList,
  textOrNull,
} from '../field.js';

export class EvmAnchor {
  @integer('Chain id the node answered.')
  chainId!: number;

  @text('Number of the block that was checked.')
  number!: string;

  @text('Its hash.')
  hash!: string;
}

export class EvmVerification {
  @text('What the last check found.', { enum: ['pending', 'verified', 'mismatch', 'unreachable', 'disabled'] })
  status!: 'pending' | 'verified' | 'mismatch' | 'unreachable' | 'disabled';

  @textOrNull('Why it is not verified; names the observed hash and the setting that accepts it.')
  reason!: string | null;

  @objectOrNull(() => EvmAnchor, 'Block of the last check that got an answer.')
  anchor!: EvmAnchor | null;

  @textOrNull('When the last check ended.', { format: 'date-time' })
  at!: string | null;
}

export class EvmVenue {
  @text('Id across chains.', { example: 'eth-uniswap-v2' })
  id!: string;

  @text('Label used in quotes; identical on every chain.', { example: 'Uniswap V2' })
  dex!: string;

  @textList('Other spellings that `dexes` and `excludeDexes` accept; contains the id.')
  aliases!: string[];

  @text('Slug of the chain.')
  chain!: string;

  @integer('Chain id.')
  chainId!: number;

  @text('v2 or v3.', { enum: ['v2', 'v3'] })
  protocol!: 'v2' | 'v3';

  @text('Address of the factory.')
  factory!: string;

  @text('Address of the router: swaps are sent to it, approvals are for it.')
  router!: string;

  @text('Address of the wrapped coin.')
  wrappedNative!: string;

  @optionalInteger('V2 only: what is left of an input after the fee, of `feeDenominator`.')
  feeNumerator?: number;

  @optionalInteger('V2 only.')
  feeDenominator?: number;

  @optionalText('V3 only: address of the quoter.')
  quoter?: string;

  @optionalIntegerList('V3 only: fees of its pools in parts per million.')
  feeTiers?: number[];

  @text('Interface of the router.', { enum: ['v2-router02', 'v3-swap-router02'] })
  routerAbi!: 'v2-router02' | 'v3-swap-router02';

  @text('Name of the router’s getter of the factory.')
  routerFactoryGetter!: string;

  @text('Name of the router’s getter of the wrapped coin.')
  routerWrappedNativeGetter!: string;

  @optionalText('V3 only.', { enum: ['quoter-v2'] })
  quoterAbi?: 'quoter-v2';

  @optionalText('V3 only.')
  quoterFactoryGetter?: string;

  @optionalText('V3 only.')
  quoterWrappedNativeGetter?: string;

  @textList('Pages that state the addresses.')
  sources!: string[];

  @flag('This program can build swaps for it.')
  buildable!: boolean;

  @flag('It is verified and quoted.')
  servable!: boolean;

  @object(() => EvmVerification, 'What the last check of its contracts found.')
  verification!: EvmVerification;
}

export class EvmVenuesAnswer {
  @list(() => EvmVenue, 'One row per venue and chain, in a fixed order.')
  venues!: EvmVenue[];
}
