import { payload } from '../schema/property.js';
import { text } from './field.js';

/** Only on a local chain, of any family: what a page needs to sign with a demo wallet and watch the swap land. The name is the released one. */
export class EvmDemo extends payload({
  rpcUrl: text('The local chain’s own JSON-RPC.', { example: 'http://127.0.0.1:8545' }),
}) {}
