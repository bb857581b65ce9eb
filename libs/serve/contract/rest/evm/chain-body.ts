import { payload, VALUES } from '../../schema/property.js';
import { EXAMPLE_CHAIN } from '../examples.js';
import { integer, list, object, objectOrNull, text, textList } from '../field.js';
import { EvmDemo } from '../local-demo.js';
import { EvmVenue } from './venue-body.js';

class EvmCurrency extends payload({
  name: text('Name.', { example: 'Ethereum' }),
  symbol: text('Symbol.', { example: 'ETH' }),
  decimals: integer('Decimals.', { example: 18 }),
}) {}

class EvmFinality extends payload({
  source: text<'finalized' | 'confirmations'>('What decides: the node’s finalized tag, or a count of confirmations.', {
    enum: ['finalized', 'confirmations'],
  }),
  confirmations: integer('Confirmations; 0 with the finalized tag.'),
}) {}

/** A chain of the router, its policy and its venues. */
export class EvmChainRow extends payload({
  chain: text('Slug.', { [VALUES]: 'evm-chains', example: EXAMPLE_CHAIN }),
  chainId: integer('Chain id.', { example: 1 }),
  aliases: textList('Other names that are accepted.'),
  family: text<'evm'>('Always evm.', { enum: ['evm'] }),
  nativeCurrency: object(() => EvmCurrency, 'The coin.'),
  wrappedNative: text('Address of the wrapped coin.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  }),
  quoteLifetimeMs: integer('How long a quote is held, ms.', { example: 30_000 }),
  maxHops: integer('Most pools of a route.', { example: 3 }),
  intermediates: textList('Tokens that routes usually go through.'),
  simulation: text<'eth_simulateV1' | 'eth_call' | 'unknown'>('How builds are simulated.', {
    enum: ['eth_simulateV1', 'eth_call', 'unknown'],
  }),
  finality: object(() => EvmFinality, 'When a block is final.'),
  venues: list(() => EvmVenue, 'Its venues, as the venue list shows them.'),
  demo: objectOrNull(() => EvmDemo, 'Only on a local chain; null on a real one.'),
}) {}

export class EvmChainsAnswer extends payload({
  chains: list(() => EvmChainRow, 'Always every chain that swaps are routed on, with or without a node.'),
}) {}
