import { VALUES } from '../../schema/property.js';
import { EXAMPLE_CHAIN } from '../examples.js';
import { flag, integer, list, objectOrNull, optionalInteger, optionalTextList, text, textList } from '../field.js';

export class EvmHeadBody {
  @text('How the node announced it.', { enum: ['stream', 'http'] })
  source!: 'stream' | 'http';

  @text('Number of the newest block that quotes are priced at. Decimal digits.', {
    pattern: '^\\d+$',
    example: '21000000',
  })
  number!: string;

  @optionalInteger('Age of that block in ms; stream heads only.')
  ageMs?: number;
}

export class EvmChainReady {
  @text('Slug of the chain.', { [VALUES]: 'evm-chains', example: EXAMPLE_CHAIN })
  chain!: string;

  @integer('Chain id.', { example: 1 })
  chainId!: number;

  @flag('It can trade: a node is configured, a venue is verified, a fresh head exists.')
  ready!: boolean;

  @textList('`dex` labels of its verified venues.')
  venues!: string[];

  @objectOrNull(() => EvmHeadBody, 'null while no block is known.')
  head!: EvmHeadBody | null;
}

export class EvmReadyBody {
  @flag('At least one chain can trade.')
  ready!: boolean;

  @textList('Empty when ready; otherwise every reason, as sentences.')
  reasons!: string[];

  @optionalTextList('Only when a chain cannot trade while another can.')
  warnings?: string[];

  @list(() => EvmChainReady, 'Always every chain that swaps are routed on, with or without a node.')
  chains!: EvmChainReady[];
}
