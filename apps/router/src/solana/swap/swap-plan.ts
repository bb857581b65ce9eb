import type { Hex } from '#libs/core/ids.js';
import {
  associatedId,
  createAssociatedAccount,
  type Hop,
  type Instruction,
  type Native,
  route,
  type SwapAccounts,
  temporaryId,
  WRAPPED_MINT,
} from '#programs/client.js';
import { Refusal } from '../../refusal.js';
import type { SwapOrder } from './swap-order.js';

/** Accounts that a hop over a pool needs besides the wallet's own, and the program that is called. */
export interface HopAccounts extends SwapAccounts {
  readonly venue: Hex;
}

/** Null for a pool that is not quoted now. */
export type AccountsOfHop = (pool: Hex, tokenIn: Hex) => HopAccounts | null;

/** A swap as instructions, and the accounts of the wallet that they use. */
export interface SwapPlan {
  readonly order: SwapOrder;
  readonly instruction: Instruction;
  /** Who pays the input: the wallet's token account, or null for coins out of the wallet itself. */
  readonly source: Hex | null;
  readonly native: Native | null;
  /** Token accounts of the wallet that have to be there, with what makes each. */
  readonly needed: readonly { readonly account: Hex; readonly create: Instruction }[];
}

export function planSwap(program: Hex, order: SwapOrder, accountsOf: AccountsOfHop): SwapPlan {
  const { swap, wallet, wraps, destination } = order;
  const { exact, inputMint, outputMint, amountIn, amountOut, threshold, legs } = swap;
  const native = nativeSide(order);
  const temporary = native === null ? null : temporaryId(program, wallet);
  const own = (mint: Hex): Hex => associatedId(wallet, mint);
  const source = native?.side === 'input' ? temporary! : own(inputMint);
  const paid = destination ?? (native?.side === 'output' ? temporary! : own(outputMint));
  const between = legs.flatMap(({ hops }) => hops.slice(0, -1).map(({ tokenOut }) => tokenOut));
  const made = new Set([...between, ...(paid === temporary || destination !== null ? [] : [outputMint])]);
  const feeAccount = swap.feeBps > 0 ? order.feeAccount : null;
  const instruction = route(program, {
    mode: exact === 'in' ? 'exactIn' : 'exactOut',
    ...{ user: wallet, source, destination: paid },
    amount: exact === 'in' ? amountIn : amountOut,
    limit: threshold,
    ...(feeAccount === null ? {} : { fee: { bps: swap.feeBps, account: feeAccount } }),
    ...(native === null ? {} : { native }),
    legs: legs.map(({ shareBps, hops }) => ({
      shareBps,
      hops: hops.map((hop, n): Hop => {
        const accounts = accountsOf(hop.pool, hop.tokenIn);
        if (accounts === null) throw poolGone();
        return { ...accounts, userOut: n + 1 === hops.length ? paid : own(hop.tokenOut) };
      }),
    })),
  });
  return {
    ...{ order, instruction, native },
    source: wraps && native?.side === 'input' ? null : source,
    needed: [...made].map((mint) => ({ account: own(mint), create: createAssociatedAccount(wallet, wallet, mint) })),
  };
}

/** The side that is coins in the wallet; they are wrapped in an account for the time of the route alone. */
function nativeSide({ swap, wraps, destination }: SwapOrder): Native | null {
  if (!wraps) return null;
  if (swap.inputMint === WRAPPED_MINT) return { side: 'input', holder: 'temporary' };
  return swap.outputMint === WRAPPED_MINT && destination === null ? { side: 'output', holder: 'temporary' } : null;
}

export const poolGone = (): Refusal =>
  new Refusal('quote_moved', 'a pool of the route is not quoted any more: ask for a new quote');
