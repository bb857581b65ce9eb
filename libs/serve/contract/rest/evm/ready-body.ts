import { payload, VALUES } from '../../schema/property.js';
import { EXAMPLE_CHAIN } from '../examples.js';
import { flag, integer, list, objectOrNull, optionalInteger, optionalTextList, text, textList } from '../field.js';

class EvmHeadBody extends payload({
  source: text<'stream' | 'http'>('How the node announced it.', { enum: ['stream', 'http'] }),
  number: text('Number of the newest block that quotes are priced at. Decimal digits.', {
    pattern: '^\\d+$',
    example: '21000000',
  }),
  ageMs: optionalInteger('Age of that block in ms; stream heads only.'),
}) {}

export class EvmChainReady extends payload({
  chain: text('Slug of the chain.', { [VALUES]: 'evm-chains', example: EXAMPLE_CHAIN }),
  chainId: integer('Chain id.', { example: 1 }),
  ready: flag('It can trade: a node is configured, a venue is verified, a fresh head exists.'),
  venues: textList('`dex` labels of its verified venues.'),
  head: objectOrNull(() => EvmHeadBody, 'null while no block is known.'),
}) {}

export class EvmReadyBody extends payload({
  ready: flag('At least one chain can trade.'),
  reasons: textList('Empty when ready; otherwise every reason, as sentences.'),
  warnings: optionalTextList('Only when a chain cannot trade while another can.'),
  chains: list(() => EvmChainReady, 'Always every chain that swaps are routed on, with or without a node.'),
}) {}
