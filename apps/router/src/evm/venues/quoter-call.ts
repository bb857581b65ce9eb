import type { BlockParameter, ContractCall } from '#libs/chains/evm/contract-reader.js';
import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chains/evm/rpc/rpc-error.js';
import { encodeAddress, encodeUint } from '#libs/chains/evm/words.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { Route } from '#libs/routing/route.js';

/** A chain of pools of one venue: what its own contracts are asked about. */
export interface RoutePath {
  readonly venue: string;
  /** The token that goes in, those between, and the token that comes out. */
  readonly tokens: readonly Hex[];
  /** Fee tiers in parts per million, one a hop; V2 ignores them. */
  readonly fees: readonly number[];
}

/** What the chain's own contract says of a path. */
export interface ChainQuote {
  amountOut: bigint;
  /** V3 only: gas of the swaps by the quoter's own count. */
  gasEstimate: bigint | null;
}

const QUOTE_EXACT_INPUT = 'cdca1753'; // quoteExactInput(bytes,uint256)
const GET_AMOUNTS_OUT = 'd06ca61f'; // getAmountsOut(uint256,address[])

export function pathOf(route: Route): RoutePath {
  const { venue, hops } = route;
  const tokens = hops.map(({ pool, zeroForOne }) => (zeroForOne ? pool.token0 : pool.token1));
  const last = hops[hops.length - 1]!;
  tokens.push(last.zeroForOne ? last.pool.token1 : last.pool.token0);
  return { venue, tokens, fees: hops.map(({ pool }) => pool.feePpm) };
}

/** Token, fee, token, fee, token…: 20 and 3 bytes, packed. */
export function encodeV3Path({ tokens, fees }: Pick<RoutePath, 'tokens' | 'fees'>): string {
  return tokens.map((token, n) => (n === 0 ? token : fees[n - 1]!.toString(16).padStart(6, '0') + token)).join('');
}

/** The question to the venue's own contract: the quoter on V3, the router's getAmountsOut on V2. */
export function quoterCall(chain: ChainSpec, path: RoutePath, amountIn: bigint): ContractCall {
  const contracts = chain.venues.find(({ venue }) => venue === path.venue)?.contracts ?? null;
  if (contracts === null) throw new TidepoolError('not_routed', `${path.venue} has no contracts on ${chain.slug}`);
  if (contracts.quoter) {
    const packed = encodeV3Path(path);
    const padded = packed.padEnd(Math.ceil(packed.length / 64) * 64, '0');
    const head = encodeUint(64) + encodeUint(amountIn) + encodeUint(packed.length / 2);
    return { to: contracts.quoter.address, data: QUOTE_EXACT_INPUT + head + padded };
  }
  const list = encodeUint(path.tokens.length) + path.tokens.map(encodeAddress).join('');
  return { to: contracts.router, data: GET_AMOUNTS_OUT + encodeUint(amountIn) + encodeUint(64) + list };
}

/**
 * What the chain itself quotes for a path at a block; null when its contract reverts. A question that this node cannot
 * answer (block gone, state pruned) is thrown.
 */
export async function askQuoter(
  endpoint: RpcEndpoint,
  chain: ChainSpec,
  path: RoutePath,
  amountIn: bigint,
  block: BlockParameter,
  signal?: AbortSignal,
): Promise<ChainQuote | null> {
  const { to, data } = quoterCall(chain, path, amountIn);
  try {
    const call = [{ to: `0x${to}`, data: `0x${data}` }, block];
    const answer = await endpoint.call<unknown>('eth_call', call, signal);
    const isV2 = data.startsWith(GET_AMOUNTS_OUT);
    const quote = isV2 ? decodeAmounts(answer, path.tokens.length) : decodeQuote(answer);
    if (quote === null) throw endpoint.error('invalid', 'a quote that is none');
    return quote;
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'reverted') return null;
    throw error;
  }
}

/** uint256[] of one amount a token; the last comes out. */
function decodeAmounts(answer: unknown, tokens: number): ChainQuote | null {
  const words = wordsOf(answer);
  if (words === null || words.length !== tokens + 2 || words[0] !== 32n || words[1] !== BigInt(tokens)) return null;
  return { amountOut: words[words.length - 1]!, gasEstimate: null };
}

/** (uint256 amountOut, uint160[] prices, uint32[] crossedTicks, uint256 gasEstimate) */
function decodeQuote(answer: unknown): ChainQuote | null {
  const words = wordsOf(answer);
  return words === null || words.length < 6 ? null : { amountOut: words[0]!, gasEstimate: words[3]! };
}

function wordsOf(answer: unknown): bigint[] | null {
  if (typeof answer !== 'string' || !/^0x([0-9a-fA-F]{64})+$/.test(answer)) return null;
  return answer
    .slice(2)
    .match(/.{64}/g)!
    .map((word) => BigInt(`0x${word}`));
}
