import { hasWrongChecksum, WRONG_CHECKSUM } from '#libs/chain/chains/evm/checksum.js';
import { isJsonObject, type JsonObject } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { BodySource } from '../../http/parameter-source.js';
import { readSlippage, readWholeNumber } from '../../quotes/parameter-rules.js';
import { NATIVE_ADDRESS } from '../native-coin.js';
import { QUOTE_PARAMETERS, readAddress } from '../quote/quote-parameters.js';

/** The parameters of a build, without those of a quote. */
export interface SwapRequest {
  wallet: string;
  /** null: the wallet. */
  recipient: string | null;
  /** null: the quote's own. */
  slippageBps: number | null;
  deadlineSeconds: number;
  /** The returned quote; null: the body has the parameters of a quote instead. */
  returned: { quoteId: string; quote: JsonObject } | null;
}

const DEFAULT_DEADLINE = 300;
const MAX_DEADLINE = 3_600;
/**
 * Addresses up to this one belong to the chain itself (precompiled contracts), and routers read 0x…1 and 0x…2 as the
 * sender and as themselves: anyone can take what is sent there.
 */
const LAST_RESERVED = 0xffffn;

/** Reads the body of a build, except the parameters of a quote; the first broken rule is a 400. */
export function readSwapRequest(body: JsonObject): SwapRequest {
  const source = new BodySource(body);
  const wallet = readHolder(source, 'userPublicKey');
  if (wallet === null) throw badRequest('userPublicKey is required: the 0x address of the wallet that signs');
  const recipient = readHolder(source, 'recipient');
  const slippageBps = readSlippage(source);
  const rule = `a whole number from 1 to ${MAX_DEADLINE}`;
  const deadlineSeconds = readWholeNumber(source, 'deadlineSeconds', rule) ?? DEFAULT_DEADLINE;
  if (deadlineSeconds < 1 || deadlineSeconds > MAX_DEADLINE) throw badRequest(`deadlineSeconds must be ${rule}`);
  return { wallet, recipient, slippageBps, deadlineSeconds, returned: readReturned(source) };
}

function readReturned(source: BodySource): SwapRequest['returned'] {
  const quote = source.one('quoteResponse');
  if (quote === undefined) {
    if (QUOTE_PARAMETERS.every((name) => source.one(name) === undefined)) {
      throw badRequest(
        'quoteResponse is required: the object that the quote route answered, or the parameters of a quote (chain, inputMint, outputMint, amount) in its place',
      );
    }
    return null;
  }
  if (!isJsonObject(quote)) throw badRequest('quoteResponse must be the object that the quote route answered');
  const { quoteId } = quote;
  if (typeof quoteId !== 'string') {
    throw badRequest('quoteResponse.quoteId is required: send the quote back as it was answered');
  }
  return { quoteId, quote };
}

function readHolder(source: BodySource, name: string): string | null {
  const given = source.one(name);
  if (given === undefined) return null;
  const address = readAddress(given);
  if (address === null) throw badRequest(`${name} must be a 0x address of 40 hex digits`);
  if (hasWrongChecksum(String(given))) throw badRequest(`${name} ${WRONG_CHECKSUM}`);
  if (address === NATIVE_ADDRESS)
    throw badRequest(`${name} must be the address of an account; ${NATIVE_ADDRESS} means the coin`);
  if (BigInt(address) === 0n) throw badRequest(`${name} must not be the zero address`);
  if (BigInt(address) <= LAST_RESERVED)
    throw badRequest(`${name} must be the address of an account; ${address} is reserved`);
  return address;
}
