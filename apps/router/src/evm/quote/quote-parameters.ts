import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { type JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { type ParameterSource, parameterText, shown } from '../../http/parameter-source.js';
import { unsupported, zeroAmount } from '../../http/router-problem.js';
import { readFlag, readSlippage, readWholeNumber } from '../../quotes/parameter-rules.js';
import { VenueNames } from '../../quotes/venue-names.js';
import { NATIVE_ADDRESS, NATIVE_MINT } from '../native-coin.js';
import type { EvmChain } from '../ports.js';
import { ChainNames } from './chain-names.js';
import type { QuoteParameters } from './price-quote.js';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const ZERO = `0x${'0'.repeat(40)}`;
const UINT256_DIGITS = 78;
const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_JSON_AMOUNT = 2n ** 64n - 1n;
const DEFAULT_SLIPPAGE_BPS = 50;
const DEFAULT_HOPS = 2;
/** The names that ask for a quote: a body with one of them has the parameters of a quote. */
export const QUOTE_PARAMETERS = ['chain', 'chainId', 'inputMint', 'outputMint', 'amount'] as const;
/** Most pools of a route. */
export const MAX_HOPS = 3;

/** Reads the parameters of a quote; the first broken rule is a 400 that names the parameter and the rule. */
export class QuoteParameterReader {
  readonly chains: ChainNames;
  private readonly venues: ReadonlyMap<EvmChain, VenueNames>;

  constructor(chains: readonly EvmChain[]) {
    this.chains = new ChainNames(chains);
    this.venues = new Map(chains.map((chain) => [chain, new VenueNames(chain.spec.slug, routedVenues(chain.spec))]));
  }

  read(source: ParameterSource): QuoteParameters {
    const chain = this.chains.read(source);
    const inputMint = readMint(source, 'inputMint');
    const outputMint = readMint(source, 'outputMint');
    if (inputMint === outputMint) throw badRequest('outputMint must be another token than inputMint');
    const amount = readAmount(source.one('amount'));
    const slippageBps = readSlippage(source) ?? DEFAULT_SLIPPAGE_BPS;
    readSwapMode(source.one('swapMode'));
    const maxHops = readHops(source);
    const venues = this.venues.get(chain)!.read(source);
    for (const name of ['platformFeeBps', 'feeBps']) {
      const fee = readWholeNumber(source, name, 'a whole number of basis points');
      if (fee !== null && fee > 0)
        throw unsupported(`${name} must be 0 or absent: the EVM routes take no platform fee`);
    }
    return { chain, inputMint, outputMint, amount, slippageBps, maxHops, venues };
  }
}

/** Lower-case address of a parameter; null when it is no address. */
export function readAddress(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && ADDRESS.test(value) ? value.toLowerCase() : null;
}

function readMint(source: ParameterSource, name: string): Hex {
  const given = source.one(name);
  if (given === undefined) throw badRequest(`${name} is required: a 0x address, or native for the coin`);
  if (typeof given === 'string' && given.toLowerCase() === 'native') return NATIVE_MINT;
  const address = readAddress(given);
  if (address === null) throw badRequest(`${name} must be a 0x address of 40 hex digits, or native for the coin`);
  if (address === ZERO)
    throw badRequest(`${name} must not be the zero address; the coin is ${NATIVE_ADDRESS} or native`);
  return address.slice(2);
}

function readAmount(given: JsonValue | undefined): bigint {
  if (given === undefined) throw badRequest('amount is required: decimal digits, in base units of inputMint');
  const text = parameterText(given);
  if (text === null || !/^\d+$/.test(text)) {
    throw badRequest(`amount must be decimal digits, in base units of inputMint; ${shown(given)} is not`);
  }
  if (given instanceof JsonNumber && (text.length > 20 || BigInt(text) > MAX_JSON_AMOUNT)) {
    throw badRequest(`amount as a JSON number must be at most ${MAX_JSON_AMOUNT}: send a larger one as text`);
  }
  const digits = text.replace(/^0+/, '');
  if (digits === '') throw zeroAmount();
  const amount = digits.length > UINT256_DIGITS ? null : BigInt(digits);
  if (amount === null || amount > MAX_UINT256) throw badRequest('amount must be at most 2^256 - 1');
  return amount;
}

function readSwapMode(given: JsonValue | undefined): void {
  if (given === undefined || given === 'ExactIn' || given === 'exactIn') return;
  if (given === 'ExactOut' || given === 'exactOut') {
    throw unsupported('swapMode must be ExactIn: the EVM routes quote exact inputs only');
  }
  throw badRequest(`swapMode must be ExactIn or exactIn; ${shown(given)} is not`);
}

function readHops(source: ParameterSource): 1 | 2 | 3 {
  const asked = readWholeNumber(source, 'maxHops', 'a whole number from 0') ?? DEFAULT_HOPS;
  if (readFlag(source, 'onlyDirectRoutes')) return 1;
  return Math.min(MAX_HOPS, Math.max(1, asked)) as 1 | 2 | 3;
}
