import { EXAMPLE_CHAIN } from './examples.js';
import { integer, integerOrNull, list, mapOf, object, objectOrNull, text, textList, textOrNull } from './field.js';
import { Meta } from './meta.js';

export class NativeCurrency {
  @text('Name of the coin.', { example: 'Ether' })
  name!: string;

  @text('Plain symbol of the coin, never that of its wrapped form.', { example: 'ETH' })
  symbol!: string;

  @integer('Decimals of the coin.', { example: 18 })
  decimals!: number;
}

export class ChainHead {
  @integer('Height of the newest block served.', { example: 21_000_000 })
  block!: number;

  @text('Its hash.', { example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f' })
  blockHash!: string;

  @integer('Its time, Unix ms.', { example: 1_730_000_000_000 })
  time!: number;

  @integerOrNull("Height up to which the chain's own finality reaches.", { example: 20_999_936 })
  finalized!: number | null;
}

export class ChainBody {
  @text('Slug: the name that answers carry.', { example: EXAMPLE_CHAIN })
  chain!: string;

  @textList('Other names that are accepted wherever a chain is named.')
  aliases!: string[];

  @integer('Id that is accepted wherever a chain is named.', { example: 1 })
  networkId!: number;

  @integerOrNull('EVM chain id; null on other families.', { example: 1 })
  chainId!: number | null;

  @text('Family of the chain.', { enum: ['evm', 'solana'] })
  family!: 'evm' | 'solana';

  @text('Name for people.', { example: 'Ethereum' })
  name!: string;

  @objectOrNull(() => NativeCurrency, 'The coin of the chain; null for a chain this version does not index yet.')
  nativeCurrency!: NativeCurrency | null;

  @textOrNull('Address of the wrapped coin; null for a chain this version does not index yet.', {
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  })
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
