import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { type ParameterSource, parameterText, shown } from '../../http/parameter-source.js';
import { unsupported, zeroAmount } from '../../http/router-problem.js';
import { readFlag, readSlippage, readWholeNumber } from '../../quotes/parameter-rules.js';
import { VenueNames } from '../../quotes/venue-names.js';
import type { SolanaChain } from '../ports.js';

/** The parameters of a quote, all of them checked. */
export interface SolanaQuoteParameters {
  /** The wrapped coin where the coin was named. */
  readonly inputMint: Hex;
  readonly outputMint: Hex;
  readonly exact: 'in' | 'out';
  /** 1 to 2^64 − 1. */
  readonly amount: bigint;
  readonly slippageBps: number;
  readonly feeBps: number;
  readonly maxHops: 1 | 2 | 3 | 4;
  /** null: any venue. Empty: the request excludes all that it could use. */
  readonly venues: readonly VenueSpec[] | null;
}

const MAX_AMOUNT = (1n << 64n) - 1n;
const U64_DIGITS = 20;
const DEFAULT_SLIPPAGE_BPS = 50;
const DEFAULT_HOPS = 3;
const MAX_HOPS = 4;
const COIN_NAMES = ['native', `0x${'e'.repeat(40)}`];

/** Reads the parameters of a quote; the first broken rule is a 400 that names the parameter and the rule. */
export class SolanaParameterReader {
  private readonly venues: VenueNames;
  private readonly coin: Hex;
  /** Spellings of the coin, its symbol among them. */
  private readonly coinNames: ReadonlySet<string>;

  constructor({ spec, venues }: SolanaChain) {
    this.venues = new VenueNames(spec.slug, venues.buildable);
    this.coin = spec.wrappedNative.token;
    this.coinNames = new Set([...COIN_NAMES, spec.nativeCurrency.symbol.toLowerCase()]);
  }

  read(source: ParameterSource): SolanaQuoteParameters {
    readVersion(source);
    const inputMint = this.readMint(source, 'inputMint');
    const outputMint = this.readMint(source, 'outputMint');
    if (inputMint === outputMint) throw badRequest('outputMint must be another token than inputMint');
    const exact = readSwapMode(source.one('swapMode'));
    const amount = readAmount(source.one('amount'));
    const slippageBps = readSlippage(source) ?? DEFAULT_SLIPPAGE_BPS;
    return {
      ...{ inputMint, outputMint, exact, amount, slippageBps },
      feeBps: readFee(source),
      maxHops: readHops(source),
      venues: this.venues.read(source),
    };
  }

  private readMint(source: ParameterSource, name: string): Hex {
    const given = source.one(name);
    const rule = 'a base58 address of 32 bytes, or native for the coin';
    if (given === undefined) throw badRequest(`${name} is required: ${rule}`);
    if (typeof given === 'string' && this.coinNames.has(given.toLowerCase())) return this.coin;
    const id = typeof given === 'string' ? solanaIds.parseAddress(given) : null;
    if (id === null) throw badRequest(`${name} must be ${rule}; ${shown(given)} is not`);
    return id;
  }
}

/** Transactions are always v1; quotes and builds refuse a request for another version. */
export function readVersion(source: ParameterSource): void {
  const version = source.one('txVersion');
  if (version !== undefined && parameterText(version) !== '1') {
    throw unsupported(`txVersion must be 1 or absent: transactions are v1; ${shown(version)} is not served`);
  }
  if (readFlag(source, 'asLegacyTransaction')) {
    throw unsupported('asLegacyTransaction must be false or absent: transactions are v1');
  }
}

function readAmount(given: JsonValue | undefined): bigint {
  const rule = 'decimal digits, in base units of the exact side';
  if (given === undefined) throw badRequest(`amount is required: ${rule}`);
  const text = parameterText(given);
  if (text === null || !/^\d+$/.test(text)) throw badRequest(`amount must be ${rule}; ${shown(given)} is not`);
  const digits = text.replace(/^0+/, '');
  if (digits === '') throw zeroAmount();
  const amount = digits.length > U64_DIGITS ? null : BigInt(digits);
  if (amount === null || amount > MAX_AMOUNT) throw badRequest('amount must be at most 2^64 - 1');
  return amount;
}

function readSwapMode(given: JsonValue | undefined): 'in' | 'out' {
  if (given === undefined || given === 'ExactIn' || given === 'exactIn') return 'in';
  if (given === 'ExactOut' || given === 'exactOut') return 'out';
  throw badRequest(`swapMode must be ExactIn or ExactOut; ${shown(given)} is neither`);
}

function readFee(source: ParameterSource): number {
  const rule = 'a whole number of basis points from 0 to 10000';
  const fees = ['platformFeeBps', 'feeBps'].map((name) => {
    const fee = readWholeNumber(source, name, rule);
    if (fee !== null && fee > 10_000) throw badRequest(`${name} must be ${rule}`);
    return fee;
  });
  const [named, other] = fees;
  if (named !== null && other !== null && named !== other) {
    throw badRequest('platformFeeBps and feeBps must agree: they are names of one parameter');
  }
  return named ?? other ?? 0;
}

function readHops(source: ParameterSource): 1 | 2 | 3 | 4 {
  const asked = readWholeNumber(source, 'maxHops', 'a whole number from 0') ?? DEFAULT_HOPS;
  if (readFlag(source, 'onlyDirectRoutes')) return 1;
  return Math.min(MAX_HOPS, Math.max(1, asked)) as 1 | 2 | 3 | 4;
}
