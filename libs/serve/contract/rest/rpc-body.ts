import { optionalField, payload, plainField } from '../schema/property.js';
import { integer, text } from './field.js';
import { chainName } from './query-field.js';

const ID = {
  type: ['integer', 'number', 'string', 'null'],
  description: 'Comes back as it was sent, digit by digit. Without it the call is a notification: it gets no answer.',
  examples: [1],
} as const;

/** One call of the JSON-RPC gateway. */
export class RpcCallBody extends payload({
  jsonrpc: text<'2.0'>('Version of JSON-RPC.', { enum: ['2.0'], example: '2.0' }),
  id: optionalField<number | string | null>(ID),
  method: text('A method of the chain’s nodes, or of DAS.', { example: 'getAsset' }),
  params: optionalField<unknown[] | object | null>({
    type: ['array', 'object', 'null'],
    description: 'Parameters, as the method takes them; none where they are left out or null.',
    examples: [{ id: 'So11111111111111111111111111111111111111112' }],
  }),
}) {}

export class RpcErrorDetail extends payload({
  code: integer('Code of JSON-RPC, or of the node that answered.', { example: -32601 }),
  message: text('What is wrong.', { example: 'the method "debug_traceCall" does not exist/is not available' }),
}) {}

/** The answer to one call: `result` or `error`. A batch is answered by a list of these. */
export class RpcReplyBody extends payload({
  jsonrpc: text<'2.0'>('Version of JSON-RPC.', { enum: ['2.0'], example: '2.0' }),
  id: plainField<number | string | null>({
    ...ID,
    description: 'The id of the call; null where it could not be read.',
  }),
  result: optionalField<unknown>({ description: 'What the node answered, as it answered it.', examples: ['0x1'] }),
  error: optionalField<RpcErrorDetail>({
    type: 'object',
    description:
      'The error of the node, or of the gateway: -32700 no JSON, -32600 no call, -32601 method not served, -32602 wrong parameters, -32603 no node answered, -32005 every node is over its limit, -32000 unknown asset.',
    properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
    required: ['code', 'message'],
  }),
}) {}

/** A chain named in a path. */
export class RpcChainPath {
  @chainName(4_096)
  chain!: string;
}
