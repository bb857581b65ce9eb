import { integer, integerOrNull, list, mapOf, object, objectOrNull, text, textList, textOrNull } from './field.js';
import { Meta } from './meta.js';

export class NativeCurrency {
  @text('Name of the coin.')
  name!: string;

  @text('Plain symbol of the coin, never that of its wrapped form.', { example: 'ETH' })
  symbol!: string;

  @integer('Decimals of the coin.')
  decimals!: number;
}

export class ChainHead {
  @integer('Height of the newest block served.')
  block!: number;

  @text('Its hash.')
  blockHash!: string;

  @integer('Its time, Unix ms.')
  time!: number;

  @integerOrNull("Height up to which the chain's own finality reaches.")
  finalized!: number | null;
}

export class ChainBody {
  @text('Slug: the name that answers carry.', { example: 'eth' })
  chain!: string;

  @textList('Other names that are accepted wherever a chain is named.')
  aliases!: string[];

  @integer('Id that is accepted wherever a chain is named.')
  networkId!: number;

  @integerOrNull('EVM chain id; null on other families.')
  chainId!: number | null;

  @text('Family of the chain.', { enum: ['evm', 'solana'] })
  family!: 'evm' | 'solana';

  @text('Name for people.')
  name!: string;

  @objectOrNull(() => NativeCurrency, 'The coin of the chain; null for a chain this version does not index yet.')
  nativeCurrency!: NativeCurrency | null;

  @textOrNull('Address of the wrapped coin; null for a chain this version does not index yet.')
  wrappedNative!: string | null;

  @objectOrNull(() => ChainHead, 'Newest block served; null when this instance does not serve the chain now.')
  head!: ChainHead | null;

  @textList('Launchpads known on the chain.')
  launchpads!: string[];

  @textList('Live channels of the chain.')
  channels!: string[];
}

export class ChainsMeta {
  @mapOf(Meta, 'State of every chain that is served now, by slug.')
  chains!: Record<string, Meta>;
}

export class ChainsAnswer {
  @list(() => ChainBody, 'Every chain whose names are accepted.')
  data!: ChainBody[];

  @object(() => ChainsMeta, 'What the answer was computed from.')
  meta!: ChainsMeta;
}
