import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { BodySource, parameterText, shown } from '../../http/parameter-source.js';
import { unsupported } from '../../http/router-problem.js';
import { readFlag } from '../../quotes/parameter-rules.js';
import type { PriorityWish } from '../model/swap-order.js';
import { readVersion } from '../quote/quote-parameters.js';

/** The parameters of a build, without those that are in the quote. */
export interface SolanaSwapRequest {
  readonly quote: JsonObject;
  /** Null: the quote came back without it. */
  readonly quoteId: string | null;
  readonly wallet: Hex;
  readonly wraps: boolean;
  readonly feeAccount: Hex | null;
  readonly destination: Hex | null;
  readonly priority: PriorityWish;
}

const MAX_AUTO_LAMPORTS = 5_000_000n;
const AUTO: PriorityWish = { kind: 'recent', percentile: 75, maxLamports: MAX_AUTO_LAMPORTS };
const PERCENTILES: Readonly<Record<string, number>> = { medium: 50, high: 75, veryHigh: 95 };
const U64_MAX = (1n << 64n) - 1n;
/**
 * Jupiter's parameters for paying or being paid differently. No build here supports them, so they are refused: ignoring
 * them would do something else than was asked.
 */
const UNKNOWN_WAYS = ['nativeDestinationAccount', 'payer', 'trackingAccount'];

export function readSwapRequest(body: JsonObject): SolanaSwapRequest {
  const source = new BodySource(body);
  readVersion(source);
  for (const name of UNKNOWN_WAYS) {
    if (source.one(name) !== undefined) throw unsupported(`${name} must be absent: the wallet pays and is paid itself`);
  }
  const quote = source.one('quoteResponse');
  if (!isJsonObject(quote)) throw badRequest('quoteResponse is required: the object that the quote route answered');
  const { quoteId = null } = quote;
  if (quoteId !== null && typeof quoteId !== 'string') throw badRequest('quoteResponse.quoteId must be a text');
  const wallet = readKey(source, 'userPublicKey');
  if (wallet === null) throw badRequest('userPublicKey is required: the base58 address of the wallet that signs');
  const wrap = source.one('wrapAndUnwrapSol');
  return {
    ...{ quote, quoteId, wallet },
    wraps: wrap === undefined ? true : readFlag(source, 'wrapAndUnwrapSol'),
    feeAccount: readKey(source, 'feeAccount'),
    destination: readKey(source, 'destinationTokenAccount'),
    priority: readPriority(source),
  };
}

function readKey(source: BodySource, name: string): Hex | null {
  const given = source.one(name);
  if (given === undefined) return null;
  const id = typeof given === 'string' ? solanaIds.parseAddress(given) : null;
  if (id === null) throw badRequest(`${name} must be a base58 address of 32 bytes; ${shown(given)} is not`);
  return id;
}

function readPriority(source: BodySource): PriorityWish {
  const fee = source.one('prioritizationFeeLamports');
  const price = source.one('computeUnitPriceMicroLamports');
  if (fee !== undefined && price !== undefined) {
    throw badRequest('prioritizationFeeLamports and computeUnitPriceMicroLamports must not both be given');
  }
  if (price !== undefined && price !== 'auto') {
    return { kind: 'price', price: wholeNumber('computeUnitPriceMicroLamports', price) };
  }
  if (fee === undefined || fee === 'auto') return AUTO;
  if (!isJsonObject(fee)) return { kind: 'lamports', lamports: wholeNumber('prioritizationFeeLamports', fee) };
  return readLevel(fee);
}

function readLevel(fee: JsonObject): PriorityWish {
  const { priorityLevelWithMaxLamports: level } = fee;
  if (!isJsonObject(level)) {
    throw unsupported(
      'prioritizationFeeLamports must be a number, auto, or {priorityLevelWithMaxLamports: {priorityLevel, maxLamports}}',
    );
  }
  const { priorityLevel = 'high', maxLamports } = level;
  const percentile = typeof priorityLevel === 'string' ? PERCENTILES[priorityLevel] : undefined;
  if (percentile === undefined) throw badRequest('priorityLevel must be medium, high or veryHigh');
  const most = maxLamports === undefined ? MAX_AUTO_LAMPORTS : wholeNumber('maxLamports', maxLamports);
  return { kind: 'recent', percentile, maxLamports: most };
}

function wholeNumber(name: string, given: JsonValue): bigint {
  const text = given instanceof JsonNumber || typeof given === 'string' ? parameterText(given) : null;
  const value = text !== null && /^\d{1,20}$/.test(text) ? BigInt(text) : null;
  if (value === null || value > U64_MAX)
    throw badRequest(`${name} must be a whole number from 0; ${shown(given)} is not`);
  return value;
}
