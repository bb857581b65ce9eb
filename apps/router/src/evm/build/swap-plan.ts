import { ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import type { VenueContracts } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { quoteExpired, Refusal } from '../../refusal.js';
import { NATIVE_MINT } from '../native-coin.js';
import { floorOf, isNative, type QuotedHop, tokensOf, venueOf } from '../quote/evm-quote.js';
import type { BuildRequest } from './build-request.js';

/**
 * A quote and its build request as what a build acts on: which contract is called, along which tokens and pools, between
 * whom, and the least that must arrive. Invariant: the amounts are the quote's; only the floor depends on the request.
 */
export interface EvmSwapPlan {
  /** Contracts and routing of the venue; null for a wrap or unwrap. */
  readonly venue: VenueContracts | null;
  /** Contract that the swap is sent to, and the spender of approvals. */
  readonly target: Hex;
  /** The venue's label; the wrapped coin's symbol for a wrap or unwrap. */
  readonly label: string;
  readonly wallet: Hex;
  readonly recipient: Hex;
  /** What the wallet gives; null for the native coin. */
  readonly tokenIn: Hex | null;
  /** What the recipient gets; null for the native coin. */
  readonly tokenOut: Hex | null;
  /** Tokens in order, the wrapped coin for the native one; empty for a wrap or unwrap. */
  readonly path: readonly Hex[];
  readonly pools: readonly Hex[];
  /** Fee of each pool in parts per million. */
  readonly fees: readonly number[];
  readonly hops: readonly QuotedHop[];
  readonly amountIn: bigint;
  readonly quotedOut: bigint;
  readonly slippageBps: number;
  readonly floor: bigint;
}

/** SwapRouter02 reads these two recipients as "the sender" and "the router itself". */
const ROUTER_CONSTANTS = [1, 2].map((value) => value.toString(16).padStart(40, '0'));

export function planEvmSwap(request: BuildRequest): EvmSwapPlan {
  const { wallet } = request;
  const { priced } = request.quote;
  const { chain, route, inputMint, outputMint, amountIn } = priced;
  const recipient = request.recipient ?? wallet;
  const slippageBps = request.slippageBps ?? priced.slippageBps;
  const common = {
    ...{ wallet, recipient, amountIn, slippageBps, target: priced.router },
    tokenIn: isNative(inputMint) ? null : inputMint,
    tokenOut: isNative(outputMint) ? null : outputMint,
    quotedOut: priced.amountOut,
    floor: floorOf(priced, slippageBps),
  };
  if (route === null) {
    if (recipient !== wallet) {
      throw new Refusal(
        'bad_request',
        'recipient: a wrap or unwrap pays the wallet itself; leave it out or name the wallet',
      );
    }
    return { ...common, venue: null, label: chain.wrappedNative.symbol, path: [], pools: [], fees: [], hops: [] };
  }
  const venue = venueOf(chain, route);
  // A router of other contracts made the quote: what it promised cannot be built here.
  if (venue.contracts?.router !== priced.router) throw quoteExpired();
  const plan: EvmSwapPlan = {
    ...common,
    venue: venue.contracts,
    label: venue.label,
    path: tokensOf(route),
    pools: route.hops.map(({ pool }) => pool.id),
    fees: route.hops.map(({ pool }) => pool.feePpm),
    hops: route.hops,
  };
  refuseLostRecipient(plan, request);
  return plan;
}

/** Where the routers or the pools would not pass the output on to any account. */
function refuseLostRecipient({ recipient, target, path, pools }: EvmSwapPlan, request: BuildRequest): void {
  const lost = [ZERO_ADDRESS, ...ROUTER_CONSTANTS, NATIVE_MINT, target, ...path, ...pools];
  if (!lost.includes(recipient)) return;
  const field = request.recipient === null ? 'userPublicKey' : 'recipient';
  throw new Refusal('bad_request', `${field}: 0x${recipient} is a contract of the route or no account; name a wallet`);
}
