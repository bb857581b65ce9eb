import type { Hex } from '#libs/core/ids.js';
import {
  associatedId,
  createAssociatedAccount,
  type Instruction,
  type Leg,
  type Native,
  route,
  TOKEN_PROGRAM_ID,
  temporaryId,
  venueRoute,
  WRAPPED_MINT,
} from '#programs/client.js';
import { Refusal } from '../../refusal.js';
import type { SolanaSwapOrder } from '../model/swap-order.js';
import type { AccountsOfHop, HopAccounts, HopDeposit } from '../venues/hop-accounts.js';
import { associatedBytes } from './fees.js';

/** The instruction of a swap, and the accounts of the wallet that it uses. */
export interface SolanaSwapPlan {
  readonly order: SolanaSwapOrder;
  readonly instruction: Instruction;
  /** Who pays the input: the wallet's token account, or null for coins out of the wallet itself. */
  readonly source: Hex | null;
  readonly native: Native | null;
  /** Token accounts of the wallet that have to be there, with what makes each and how long it will be. */
  readonly needed: readonly { readonly account: Hex; readonly create: Instruction; readonly bytes: number }[];
  /** Accounts of the venues whose rent the wallet may have to pay, each once. */
  readonly deposits: readonly HopDeposit[];
  /** Whether coins are unwrapped on the way, in an account that holds a deposit for that time. */
  readonly unwraps: boolean;
  /** Programs of the venues. */
  readonly venues: readonly Hex[];
}

export function planSolanaSwap(program: Hex, order: SolanaSwapOrder, accountsOf: AccountsOfHop): SolanaSwapPlan {
  const { swap, wallet, wraps, destination } = order;
  const { exact, inputMint, outputMint, amountIn, amountOut, threshold, legs } = swap;
  const native = nativeSide(order);
  const temporary = native === null ? null : temporaryId(program, wallet);
  const accounts = legs.map(({ hops }) => hops.map(({ pool, tokenIn }) => accountsOf(pool, tokenIn) ?? gone()));
  const tokenPrograms = new Map(accounts.flat().flatMap((hop) => [...hop.tokenPrograms]));
  const programOf = (mint: Hex): Hex => tokenPrograms.get(mint) ?? TOKEN_PROGRAM_ID;
  const own = (mint: Hex): Hex => associatedId(wallet, mint, programOf(mint));
  const source = native?.side === 'input' ? temporary! : own(inputMint);
  const paid = destination ?? (native?.side === 'output' ? temporary! : own(outputMint));
  const between = legs.flatMap(({ hops }) => hops.slice(0, -1).map(({ tokenOut }) => tokenOut));
  const made = new Set([...between, ...(paid === temporary || destination !== null ? [] : [outputMint])]);
  const feeAccount = swap.feeBps > 0 ? order.feeAccount : null;
  const frame = {
    mode: exact === 'in' ? ('exactIn' as const) : ('exactOut' as const),
    ...{ user: wallet, source, destination: paid },
    amount: exact === 'in' ? amountIn : amountOut,
    limit: threshold,
    ...(feeAccount === null ? {} : { fee: { bps: swap.feeBps, account: feeAccount } }),
    ...(native === null ? {} : { native }),
  };
  /** Each hop with its accounts and the wallet's own that pay and are paid. */
  const placed = <H>(write: (hop: PlacedHop) => H): Leg<H>[] =>
    legs.map(({ shareBps, hops }, leg) => {
      const outputs = hops.map(({ tokenOut }, n) => (n + 1 === hops.length ? paid : own(tokenOut)));
      const inputs = [source, ...outputs];
      return {
        shareBps,
        hops: hops.map((hop, n) =>
          write({ accounts: accounts[leg]![n]!, input: inputs[n]!, output: outputs[n]!, n, amountIn: hop.amountIn }),
        ),
      };
    });
  const isShort = accounts.flat().every(({ short }) => short !== null);
  const instruction = isShort
    ? route(program, {
        ...frame,
        legs: placed(({ accounts: { venue, short }, output }) => ({ ...short!, venue, userOut: output })),
      })
    : venueRoute(program, {
        ...frame,
        legs: placed(({ accounts: { venue, short, list, movesCoins }, input, output, n, amountIn: mostIn }) => ({
          ...{ venue, userOut: output, list: list({ user: wallet, input, output }) ?? gone(), movesCoins },
          // Our own venues say on chain what they ask for an output; what others ask is bounded by what was quoted.
          ...(exact === 'out' && n > 0 && short === null ? { mostIn } : {}),
        })),
      });
  return {
    ...{ order, instruction, native },
    source: wraps && native?.side === 'input' ? null : source,
    needed: [...made].map((mint) => ({
      account: own(mint),
      create: createAssociatedAccount(wallet, wallet, mint, programOf(mint)),
      bytes: associatedBytes(programOf(mint)),
    })),
    deposits: [
      ...new Map(accounts.flat().flatMap((hop) => hop.deposits(wallet).map((each) => [each.account, each]))).values(),
    ],
    unwraps: accounts.flat().some(({ movesCoins }) => movesCoins),
    venues: [...new Set(accounts.flat().map(({ venue }) => venue))],
  };
}

interface PlacedHop {
  readonly accounts: HopAccounts;
  readonly input: Hex;
  readonly output: Hex;
  /** Place in its leg. */
  readonly n: number;
  /** As quoted. */
  readonly amountIn: bigint;
}

/** The side on which the wallet pays or gets coins; they are wrapped in an account that exists only during the route. */
function nativeSide({ swap, wraps, destination }: SolanaSwapOrder): Native | null {
  if (!wraps) return null;
  if (swap.inputMint === WRAPPED_MINT) return { side: 'input', holder: 'temporary' };
  return swap.outputMint === WRAPPED_MINT && destination === null ? { side: 'output', holder: 'temporary' } : null;
}

export const poolGone = (): Refusal =>
  new Refusal('quote_moved', 'a pool of the route is not quoted any more: ask for a new quote');

function gone(): never {
  throw poolGone();
}
