import { ZERO_ADDRESS } from '#libs/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import { badRequest, HttpProblem } from '#libs/http/problem.js';
import type { ChainSpec, VenueContracts } from '#libs/market-ports/chain-spec.js';
import { NATIVE } from '../native-coin.js';
import type { BuildRequest } from '../ports.js';

/**
 * A held quote and its build request as plain facts: which contract is called, along which tokens and pools, between whom,
 * and the least that must arrive. Invariant: the amounts are the quote's; only the floor depends on the request.
 */
export interface SwapPlan {
  readonly kind: 'wrap' | 'unwrap' | VenueContracts['routerAbi'];
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
  /** Output of each pool as quoted. */
  readonly hopOutputs: readonly bigint[];
  readonly amountIn: bigint;
  readonly quotedOut: bigint;
  readonly slippageBps: number;
  readonly floor: bigint;
}

/** SwapRouter02 reads these two recipients as "the sender" and "the router itself". */
const ROUTER_CONSTANTS = [1, 2].map((value) => value.toString(16).padStart(40, '0'));

export function planSwap(chain: ChainSpec, request: BuildRequest): SwapPlan {
  const { quote, wallet } = request;
  const recipient = request.recipient ?? wallet;
  const slippageBps = request.slippageBps ?? quote.slippageBps;
  const input = id(quote.inputMint);
  const output = id(quote.outputMint);
  const amountIn = BigInt(quote.inAmount);
  const quotedOut = BigInt(quote.outAmount);
  const common = {
    wallet,
    recipient,
    tokenIn: input === NATIVE ? null : input,
    tokenOut: output === NATIVE ? null : output,
    amountIn,
    quotedOut,
    slippageBps,
  };
  if (quote.routePlan.length === 0) {
    if (recipient !== wallet) {
      throw badRequest('recipient: a wrap or unwrap pays the wallet itself; leave it out or name the wallet');
    }
    const kind = input === NATIVE ? 'wrap' : 'unwrap';
    const { token, symbol } = chain.wrappedNative;
    const rest = { path: [], pools: [], fees: [], hopOutputs: [] };
    return { ...common, ...rest, kind, target: token, label: symbol, floor: amountIn };
  }
  const venue = chain.venues.find((candidate) => candidate.id === quote.routePlan[0]!.venueId);
  if (!venue?.contracts) {
    throw new HttpProblem(409, 'quote_expired', 'the venue of this quote is not served any more; ask for a new quote');
  }
  const steps = quote.routePlan.map(({ swapInfo }) => swapInfo);
  const plan: SwapPlan = {
    ...common,
    kind: venue.contracts.routerAbi,
    target: venue.contracts.router,
    label: venue.label,
    path: [id(steps[0]!.inputMint), ...steps.map((step) => id(step.outputMint))],
    pools: steps.map((step) => id(step.ammKey)),
    fees: quote.routePlan.map(({ fee }) => fee),
    hopOutputs: steps.map((step) => BigInt(step.outAmount)),
    floor: (quotedOut * BigInt(10_000 - slippageBps)) / 10_000n,
  };
  refuseLostRecipient(plan);
  return plan;
}

/** Where the routers or the pools would not pass the output on to anybody. */
function refuseLostRecipient({ recipient, target, path, pools }: SwapPlan): void {
  const lost = [ZERO_ADDRESS, ...ROUTER_CONSTANTS, NATIVE, target, ...path, ...pools];
  if (lost.includes(recipient)) {
    throw badRequest(`recipient: 0x${recipient} is a contract of the route or no account; name a wallet`);
  }
}

function id(prefixed: string): Hex {
  return prefixed.slice(2).toLowerCase();
}
