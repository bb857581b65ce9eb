import { VALUES } from '../../schema/property.js';
import { EXAMPLE_CHAIN } from '../examples.js';
import { integer, list, object, objectOrNull, text, textList } from '../field.js';
import { EvmDemo } from '../local-demo.js';
import { EvmVenue } from './venue-body.js';

export class EvmCurrency {
  @text('Name.', { example: 'Ethereum' })
  name!: string;

  @text('Symbol.', { example: 'ETH' })
  symbol!: string;

  @integer('Decimals.', { example: 18 })
  decimals!: number;
}

export class EvmFinality {
  @text('What decides: the node’s finalized tag, or a count of confirmations.', {
    enum: ['finalized', 'confirmations'],
  })
  source!: 'finalized' | 'confirmations';

  @integer('Confirmations; 0 with the finalized tag.')
  confirmations!: number;
}

/** A chain of the router, its policy and its venues. */
export class EvmChainRow {
  @text('Slug.', { [VALUES]: 'evm-chains', example: EXAMPLE_CHAIN })
  chain!: string;

  @integer('Chain id.', { example: 1 })
  chainId!: number;

  @textList('Other names that are accepted.')
  aliases!: string[];

  @text('Always evm.', { enum: ['evm'] })
  family!: 'evm';

  @object(() => EvmCurrency, 'The coin.')
  nativeCurrency!: EvmCurrency;

  @text('Address of the wrapped coin.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  })
  wrappedNative!: string;

  @integer('How long a quote is held, ms.', { example: 30_000 })
  quoteLifetimeMs!: number;

  @integer('Most pools of a route.', { example: 3 })
  maxHops!: number;

  @textList('Tokens that routes usually go through.')
  intermediates!: string[];

  @text('How builds are simulated.', { enum: ['eth_simulateV1', 'eth_call', 'unknown'] })
  simulation!: 'eth_simulateV1' | 'eth_call' | 'unknown';

  @object(() => EvmFinality, 'When a block is final.')
  finality!: EvmFinality;

  @list(() => EvmVenue, 'Its venues, as the venue list shows them.')
  venues!: EvmVenue[];

  @objectOrNull(() => EvmDemo, 'Only on a local chain; null on a real one.')
  demo!: EvmDemo | null;
}

export class EvmChainsAnswer {
  @list(() => EvmChainRow, 'Always every chain that swaps are routed on, with or without a node.')
  chains!: EvmChainRow[];
}
