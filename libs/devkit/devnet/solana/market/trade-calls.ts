import type { Hex } from '#libs/core/ids.js';
import {
  type CurveKeys,
  curveAccounts,
  type Hop,
  type Instruction,
  type PoolKeys,
  type ProgramRoute,
  poolAccounts,
  route,
  type SwapAccounts,
  swapExactIn,
  swapExactOut,
} from '#programs/client.js';
import { AMM, LOCAL_LAUNCHPAD_ID, SWAP } from './market-listing.js';
import { associated, type MintRef } from './token-calls.js';

/** Swaps at one venue or along a route, with the trader's associated accounts. */
export type Site = { pool: PoolKeys } | { curve: CurveKeys };

export interface TradeStep {
  site: Site;
  mintIn: MintRef;
  mintOut: MintRef;
}

export type Mode = 'exactIn' | 'exactOut';

const venueOf = (site: Site): Hex => ('pool' in site ? AMM : LOCAL_LAUNCHPAD_ID);
const accountsOf = ({ site, mintIn }: TradeStep): SwapAccounts =>
  'pool' in site ? poolAccounts(site.pool, mintIn.id) : curveAccounts(site.curve, mintIn.id);

/** At the venue itself. */
export function directSwap(user: Hex, step: TradeStep, mode: Mode, amount: bigint, limit: bigint): Instruction {
  const trader = { user, userIn: associated(user, step.mintIn), userOut: associated(user, step.mintOut) };
  const swap = mode === 'exactIn' ? swapExactIn : swapExactOut;
  return swap(venueOf(step.site), accountsOf(step), trader, amount, limit);
}

export interface RoutedOrder {
  user: Hex;
  mode: Mode;
  amount: bigint;
  limit: bigint;
  /** Shares in hundredths of a percent, 10,000 together. */
  legs: readonly { shareBps: number; steps: readonly TradeStep[] }[];
  native?: ProgramRoute['native'];
  /** Takes the place of the user's own account on a native side that has a temporary one. */
  temporary?: Hex;
}

/** Through the swap program. */
export function routedSwap({ user, mode, amount, limit, legs, native, temporary }: RoutedOrder): Instruction {
  const first = legs[0]!.steps[0]!;
  const last = legs[0]!.steps.at(-1)!;
  const source = native?.side === 'input' && temporary ? temporary : associated(user, first.mintIn);
  const destination = native?.side === 'output' && temporary ? temporary : associated(user, last.mintOut);
  const hop = (step: TradeStep, isLast: boolean): Hop => ({
    venue: venueOf(step.site),
    ...accountsOf(step),
    userOut: isLast ? destination : associated(user, step.mintOut),
  });
  return route(SWAP, {
    mode,
    user,
    source,
    destination,
    amount,
    limit,
    ...(native ? { native } : {}),
    legs: legs.map(({ shareBps, steps }) => ({
      shareBps,
      hops: steps.map((step, i) => hop(step, i === steps.length - 1)),
    })),
  });
}
