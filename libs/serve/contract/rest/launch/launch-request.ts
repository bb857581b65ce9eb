import { type JsonSchema, plainProperty } from '../../schema/property.js';
import { launchpadNames } from '../market-queries.js';

/** The body of a create. */
const needed = (schema: JsonSchema) => plainProperty(schema);
const optional = (schema: JsonSchema) => plainProperty(schema, true);
const link = (what: string) => optional({ type: 'string', maxLength: 200, description: `${what}: an https address.` });

export class LaunchRequest {
  @needed({
    type: 'string',
    enum: [...launchpadNames],
    description: 'Launchpad: one of the chain’s `platforms`.',
    examples: ['tidepool'],
  })
  platform!: string;

  @needed({
    type: 'string',
    description: 'Address of the wallet that creates the token, pays and signs.',
    examples: ['7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT'],
  })
  creator!: string;

  @needed({
    type: 'string',
    minLength: 1,
    maxLength: 32,
    description: 'Name of the token, at most 32 bytes of UTF-8.',
    examples: ['Spring Tide'],
  })
  name!: string;

  @needed({
    type: 'string',
    minLength: 1,
    maxLength: 10,
    description: 'Symbol, at most 10 bytes of UTF-8, without spaces.',
    examples: ['TIDE'],
  })
  symbol!: string;

  @optional({ type: 'string', maxLength: 1000, description: 'What the token is about.' })
  description?: string;

  @needed({
    type: 'string',
    maxLength: 2048,
    description:
      'Public http or https address of the picture: PNG, JPEG, GIF or WebP of at most 5 MiB. It is looked at once, and goes into the metadata as it is.',
    examples: ['https://example.com/tide.png'],
  })
  image!: string;

  @link('Page on Twitter')
  twitter?: string;

  @link('Page on Telegram')
  telegram?: string;

  @link('Website')
  website?: string;

  @optional({
    oneOf: [
      { type: 'string', pattern: '^\\d{1,78}$' },
      { type: 'integer', minimum: 0 },
    ],
    description:
      'What the creator buys for in the same transaction, in base units of the chain’s coin (lamports, wei); 0 or nothing: no buy.',
    examples: ['100000000'],
  })
  initialBuy?: string | number;

  @optional({
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    default: 50,
    description: 'How much less than in the simulation the first buy may give.',
  })
  slippageBps?: number;

  @needed({
    type: 'string',
    maxLength: 2048,
    description:
      'Public http or https address of a node of the chain: the transactions are built and simulated at its head.',
    examples: ['https://rpc.example.com/'],
  })
  rpcUrl!: string;

  @optional({
    type: 'string',
    description: 'Solana: address of the mint, whose key the caller has. Without it the router makes one.',
  })
  mint?: string;
}
