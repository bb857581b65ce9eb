import { optionalField, payload, plainField } from '../../schema/property.js';
import { launchpadNames } from '../market-queries.js';

/** The body of a create. */
const link = (what: string) =>
  optionalField<string>({ type: 'string', maxLength: 200, description: `${what}: an https address.` });

export class LaunchRequest extends payload({
  platform: plainField<string>({
    type: 'string',
    enum: [...launchpadNames],
    description: 'Launchpad: one of the chain’s `platforms`.',
    examples: ['tidepool'],
  }),
  creator: plainField<string>({
    type: 'string',
    description: 'Address of the wallet that creates the token, pays and signs.',
    examples: ['7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT'],
  }),
  name: plainField<string>({
    type: 'string',
    minLength: 1,
    maxLength: 32,
    description: 'Name of the token, at most 32 bytes of UTF-8.',
    examples: ['Spring Tide'],
  }),
  symbol: plainField<string>({
    type: 'string',
    minLength: 1,
    maxLength: 10,
    description: 'Symbol, at most 10 bytes of UTF-8, without spaces.',
    examples: ['TIDE'],
  }),
  description: optionalField<string>({ type: 'string', maxLength: 1000, description: 'What the token is about.' }),
  image: plainField<string>({
    type: 'string',
    maxLength: 2048,
    description:
      'Public http or https address of the picture: PNG, JPEG, GIF or WebP of at most 5 MiB. It is looked at once, and goes into the metadata as it is.',
    examples: ['https://example.com/tide.png'],
  }),
  twitter: link('Page on Twitter'),
  telegram: link('Page on Telegram'),
  website: link('Website'),
  initialBuy: optionalField<string | number>({
    oneOf: [
      { type: 'string', pattern: '^\\d{1,78}$' },
      { type: 'integer', minimum: 0 },
    ],
    description:
      'What the creator buys for in the same transaction, in base units of the chain’s coin (lamports, wei); 0 or nothing: no buy.',
    examples: ['100000000'],
  }),
  slippageBps: optionalField<number>({
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    default: 50,
    description: 'How much less than in the simulation the first buy may give.',
  }),
  rpcUrl: plainField<string>({
    type: 'string',
    maxLength: 2048,
    description:
      'Public http or https address of a node of the chain: the transactions are built and simulated at its head.',
    examples: ['https://rpc.example.com/'],
  }),
  mint: optionalField<string>({
    type: 'string',
    description: 'Solana: address of the mint, whose key the caller has. Without it the router makes one.',
  }),
}) {}
