import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { QuotedSwap, SolanaQuoteHop, SolanaQuoteLeg } from '../model/solana-quote.js';

const U64_MAX = (1n << 64n) - 1n;
const WHOLE_BPS = 10_000;
const MOST_LEGS = 4;
const MOST_HOPS = 4;

/**
 * Reads the swap of a quote in Jupiter's shape: ours, or one that came back without the fields that we added. The first
 * broken rule is a 400 that names the field. Legs follow from the steps: each step that takes `inputMint` begins a leg.
 */
export function readQuote(quote: JsonObject): QuotedSwap {
  const [inputMint, outputMint] = [mintOf(quote, 'inputMint'), mintOf(quote, 'outputMint')];
  if (inputMint === outputMint) throw wrong('outputMint', 'another token than inputMint');
  const exact = exactSide(quote.swapMode);
  return {
    ...{ inputMint, outputMint, exact, legs: legsOf(quote, inputMint, outputMint) },
    amountIn: amountOf(quote, 'inAmount', 1n),
    amountOut: amountOf(quote, 'outAmount', 1n),
    threshold: amountOf(quote, 'otherAmountThreshold', exact === 'in' ? 0n : 1n),
    slippageBps: bpsOf(quote.slippageBps, 'slippageBps', 0),
    ...feeOf(quote.platformFee),
  };
}

function exactSide(mode: JsonValue | undefined): 'in' | 'out' {
  if (mode === 'ExactIn') return 'in';
  if (mode === 'ExactOut') return 'out';
  throw wrong('swapMode', 'ExactIn or ExactOut');
}

function feeOf(fee: JsonValue | undefined): { feeBps: number; feeAmount: bigint } {
  if (fee === undefined || fee === null) return { feeBps: 0, feeAmount: 0n };
  if (!isJsonObject(fee)) throw wrong('platformFee', 'null or an object');
  return { feeBps: bpsOf(fee.feeBps, 'platformFee.feeBps', 0), feeAmount: amountOf(fee, 'amount', 0n, 'platformFee.') };
}

function legsOf({ routePlan }: JsonObject, inputMint: Hex, outputMint: Hex): SolanaQuoteLeg[] {
  const rule = `a list of 1 to ${MOST_LEGS * MOST_HOPS} steps`;
  if (!Array.isArray(routePlan) || routePlan.length === 0 || routePlan.length > MOST_LEGS * MOST_HOPS) {
    throw wrong('routePlan', rule);
  }
  const legs: { shareBps: number; hops: SolanaQuoteHop[] }[] = [];
  for (const [n, step] of routePlan.entries()) {
    const at = `routePlan[${n}]`;
    if (!isJsonObject(step) || !isJsonObject(step.swapInfo)) throw wrong(`${at}.swapInfo`, 'an object');
    const hop = hopOf(step.swapInfo, `${at}.swapInfo.`);
    if (hop.tokenIn === inputMint) legs.push({ shareBps: shareOf(step, at), hops: [] });
    const leg = legs.at(-1);
    if (leg === undefined || (leg.hops.length > 0 && leg.hops.at(-1)!.tokenOut !== hop.tokenIn)) {
      throw wrong(`${at}.swapInfo.inputMint`, 'inputMint, or what the step before gives');
    }
    leg.hops.push(hop);
  }
  if (legs.length > MOST_LEGS || legs.some(({ hops }) => hops.length > MOST_HOPS)) {
    throw wrong('routePlan', `at most ${MOST_LEGS} legs of at most ${MOST_HOPS} steps`);
  }
  for (const { hops } of legs) {
    if (hops.at(-1)!.tokenOut !== outputMint) throw wrong('routePlan', 'legs that end in outputMint');
    if (
      new Set(hops.map(({ tokenIn }) => tokenIn)).size !== hops.length ||
      hops.some(({ tokenIn }) => tokenIn === outputMint)
    ) {
      throw wrong('routePlan', 'legs that come to no token twice');
    }
  }
  if (legs.reduce((sum, { shareBps }) => sum + shareBps, 0) !== WHOLE_BPS) {
    throw wrong('routePlan', 'legs whose shares are 100 percent together');
  }
  return legs;
}

/** `bps` where it is there, else `percent`, which is all that Jupiter's own clients keep. */
function shareOf({ bps, percent }: JsonObject, at: string): number {
  if (bps !== undefined && bps !== null) return bpsOf(bps, `${at}.bps`, 1);
  const share = percent instanceof JsonNumber ? Math.round(percent.value * 100) : Number.NaN;
  if (!(share >= 1 && share <= WHOLE_BPS)) throw wrong(`${at}.percent`, 'a number above 0, at most 100');
  return share;
}

function hopOf(info: JsonObject, path: string): SolanaQuoteHop {
  const tokenIn = mintOf(info, 'inputMint', path);
  return {
    pool: mintOf(info, 'ammKey', path),
    venue: '',
    label: typeof info.label === 'string' ? info.label : '',
    tokenIn,
    tokenOut: mintOf(info, 'outputMint', path),
    amountIn: amountOf(info, 'inAmount', 0n, path),
    amountOut: amountOf(info, 'outAmount', 0n, path),
    fee: 0n,
    feeSide: 'input',
  };
}

function mintOf(from: JsonObject, name: string, path = ''): Hex {
  const given = from[name];
  const id = typeof given === 'string' ? solanaIds.parseAddress(given) : null;
  if (id === null) throw wrong(`${path}${name}`, 'a base58 address of 32 bytes');
  return id;
}

function amountOf(from: JsonObject, name: string, least: bigint, path = ''): bigint {
  const given = from[name];
  const amount = typeof given === 'string' && /^\d{1,20}$/.test(given) ? BigInt(given) : null;
  if (amount === null || amount < least || amount > U64_MAX) {
    throw wrong(`${path}${name}`, `a text of decimal digits, ${least} to 2^64 - 1`);
  }
  return amount;
}

function bpsOf(given: JsonValue | undefined, name: string, least: number): number {
  const bps = given instanceof JsonNumber ? given.integer : null;
  if (bps === null || bps < BigInt(least) || bps > BigInt(WHOLE_BPS)) {
    throw wrong(name, `a whole number from ${least} to ${WHOLE_BPS}`);
  }
  return Number(bps);
}

const wrong = (field: string, rule: string) =>
  badRequest(`quoteResponse.${field} must be ${rule}: send the quote back as it was answered`);
