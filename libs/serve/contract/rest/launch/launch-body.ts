import { extendPayload, type Field, payload, plainField } from '../../schema/property.js';
import { EvmTransaction } from '../evm/swap-body.js';
import { EXAMPLE_CHAIN } from '../examples.js';
import { flag, integer, list, object, objectOrNull, optionalText, text, textList, textOrNull } from '../field.js';
import { launchpadNames } from '../market-queries.js';
import { requiredWord } from '../query-field.js';

/** Answers of the launch routes. All of them have the envelope `{ok, data, error, nextCursor}`. */
const DIGITS = '^\\d+$';
const amount = (description: string, example: string) =>
  text(`${description} Base units, decimal digits.`, { pattern: DIGITS, example });
const none = (description: string) => plainField<null>({ type: 'null', description });

export class LaunchPath {
  @requiredWord('chain', 'Slug, alias or id of the chain, in any case.', 200, { examples: [EXAMPLE_CHAIN] })
  chain!: string;
}

export class LaunchFilePath {
  @requiredWord('name', 'Name of the file, as a `metadataUri` ends.', 200, {
    examples: ['n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg.json'],
  })
  name!: string;
}

/** What a token says of itself, as wallets and explorers read it. */
export class LaunchMetadata extends payload({
  name: text('Name.', { example: 'Spring Tide' }),
  symbol: text('Symbol.', { example: 'TIDE' }),
  description: text('What it is about; may be empty.', { example: 'Comes and goes' }),
  image: text('Address of its picture.', { example: 'https://example.com/tide.png' }),
  twitter: optionalText('Page on Twitter.', { example: 'https://x.com/tide' }),
  telegram: optionalText('Page on Telegram.', { example: 'https://t.me/tide' }),
  website: optionalText('Website.', { example: 'https://example.com/' }),
  external_url: optionalText('The website under the name that wallets know.', { example: 'https://example.com/' }),
}) {}

/** One chain with its launchpads. */
export class LaunchChain extends payload({
  slug: text('Slug.', { example: EXAMPLE_CHAIN }),
  aliases: textList('Other names.', { example: [] }),
  networkId: integer('Id by which the chain may be named as well.', { example: 1 }),
  family: text<'solana' | 'evm'>('Family.', { enum: ['solana', 'evm'], example: 'evm' }),
  platforms: textList('Launchpads on which tokens can be created here.', {
    enum: [...launchpadNames],
    example: 'tidepool',
  }),
  unwired: textList('Launchpads that are known and have no builder; a create on one is 501 `not_wired`.', {
    enum: [...launchpadNames],
    example: 'pumpfun',
  }),
}) {}

class LaunchChains extends payload({
  chains: list(() => LaunchChain, 'Every chain.'),
}) {}

class LaunchEnvelope extends payload({
  ok: flag<true>('True.', { enum: [true] }),
  error: none('Null.'),
  nextCursor: none('Null: nothing is paged.'),
}) {}

export class LaunchChainsAnswer extends extendPayload(LaunchEnvelope, {
  data: object(() => LaunchChains, 'The chains.'),
}) {}

export class LaunchChainAnswer extends extendPayload(LaunchEnvelope, {
  data: object(() => LaunchChain, 'The chain.'),
}) {}

class LaunchSigner extends payload({
  address: text('Address whose key signs every transaction.', {
    example: '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT',
  }),
  secretKey: textOrNull(
    'The key itself, base58 of 64 bytes, where the router made it for this token alone: the mint of a Solana token, without `mint` in the request, and the settings of its curve where these are an account that signs. It is kept nowhere and of no use once the token exists. Null: the caller has the key.',
    { example: null },
  ),
}) {}

class LaunchBuy extends payload({
  inAmount: amount(
    'What the creator sends for it, in the chain’s coin; what the curve does not take comes back at once.',
    '100000000',
  ),
  outAmount: amount('What it gives in the simulation, in units of the token.', '3527000000000'),
  minOutAmount: amount(
    'What the transaction gives at least, or fails: `outAmount` less `slippageBps`; all of it where the launchpad takes no floor because the same call makes the pool.',
    '3509000000000',
  ),
}) {}

class LaunchCost extends payload({
  networkFee: amount('Fees of the network: of signatures, or gas at the fee cap.', '10000'),
  rent: amount('Deposits of the accounts that are made; 0 on EVM chains.', '9500000'),
  initialBuy: amount('The first buy.', '100000000'),
  total: amount('All together, in base units of the chain’s coin: what the creator must have.', '109510000'),
}) {}

class LaunchSimulation extends payload({
  block: text('Block or slot that it ran on. Decimal digits.', { pattern: DIGITS, example: '312000000' }),
  used: text('Gas or compute units that it used. Decimal digits.', { pattern: DIGITS, example: '91000' }),
}) {}

const unsigned: Field<(string | EvmTransaction)[], false> = {
  optional: false,
  schema: (reference) => ({
    type: 'array',
    description:
      'Unsigned transactions, to be signed by all of `signers` and sent in order: on Solana base64 of v1 transactions whose signatures are zeros, on EVM chains objects as `eth_sendTransaction` takes them.',
    items: { anyOf: [{ type: 'string' }, reference(EvmTransaction)] },
  }),
  example: () => ['gQEABQ0AAAA='],
};

/** A create that was built and simulated, unsigned. */
export class LaunchCreated extends payload({
  chain: text('Slug of the chain.', { example: EXAMPLE_CHAIN }),
  platform: text('Launchpad.', { enum: [...launchpadNames], example: 'tidepool' }),
  address: text('Address that the token will have.', { example: '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT' }),
  curve: text('Address of its curve, or the id of the pool that it trades in from the start.', {
    example: '9RbqLh9zSHnHgcrYcGvGTdXQ2dnxKMEzVjeCvxMAVsfL',
  }),
  transactions: unsigned,
  signers: list(() => LaunchSigner, 'Who signs, the one who pays first.'),
  metadataUri: text('Where the token’s metadata are served: content that never changes, open to all.', {
    example: 'http://127.0.0.1:4100/launch/files/n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg.json',
  }),
  expiresAt: text('Until then the fees, and on Solana the blockhash, are good.', {
    format: 'date-time',
    example: '2026-11-22T14:01:00.000Z',
  }),
  buy: objectOrNull(() => LaunchBuy, 'The first buy; null without one.'),
  cost: object(() => LaunchCost, 'What it costs the creator.'),
  simulation: object(() => LaunchSimulation, 'The whole, simulated at the head with the creator’s own state.'),
  warnings: textList('`image_not_checked`: the server of the image did not answer.', {
    enum: ['image_not_checked'],
    example: [],
  }),
}) {}

export class LaunchCreatedAnswer extends extendPayload(LaunchEnvelope, {
  data: object(() => LaunchCreated, 'What was built.'),
}) {}
