import { ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import { quoteExpired, Refusal } from '../../refusal.js';
import type { BuildRequest } from '../model/build-request.js';
import { floorOf, isNative, tokensOf, venueOf } from '../model/evm-quote.js';
import type { EvmSwapPlan } from '../model/swap-plan.js';
import { NATIVE_MINT } from '../native-coin.js';

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

/** Refuses a recipient from which the routers or the pools would not pass the output on to any account. */
function refuseLostRecipient({ recipient, target, path, pools }: EvmSwapPlan, request: BuildRequest): void {
  const lost = [ZERO_ADDRESS, ...ROUTER_CONSTANTS, NATIVE_MINT, target, ...path, ...pools];
  if (!lost.includes(recipient)) return;
  const field = request.recipient === null ? 'userPublicKey' : 'recipient';
  throw new Refusal('bad_request', `${field}: 0x${recipient} is a contract of the route or no account; name a wallet`);
}
