import { encodeAddress, encodeUint } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import { encodeBytes, uintWords } from '../abi-words.js';
import type { EvmSwapOrder, SwapGas, SwapPath, SwapRouting, TickGas } from '../swap-routing.js';
import type { VenueRouting } from '../venue-routing.js';

const QUOTE_EXACT_INPUT = 'cdca1753'; // quoteExactInput(bytes,uint256)
const EXACT_INPUT_SINGLE = '04e45aaf'; // exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))
const EXACT_INPUT = 'b858183f'; // exactInput((bytes,address,uint256,uint256))
const UNWRAP = '49404b7c'; // unwrapWETH9(uint256,address)
const MULTICALL = '5ae401dc'; // multicall(uint256,bytes[])
const FEE_AMOUNT_TICK_SPACING = '22afcccb'; // feeAmountTickSpacing(uint24)
/** What the router takes for itself as a recipient. */
const ROUTER_ITSELF: Hex = '2'.padStart(40, '0');
/** Routing over SwapRouter02, and over routers that have its interface, with QuoterV2. */
export const swapRouter02Routing = (
  feeTiers: readonly number[],
  gas: SwapGas,
  code: VenueRouting['code'],
): VenueRouting => ({
  swaps: swapRouter02({ feeTiers, gas }),
  routerAbi: 'v3-swap-router02',
  routerFactoryGetter: 'factory',
  routerWrappedNativeGetter: 'WETH9',
  quoter: { abi: 'quoter-v2', factoryGetter: 'factory', wrappedNativeGetter: 'WETH9' },
  feeTiers,
  code,
});

interface RouterOfTiers {
  readonly feeTiers: readonly number[];
  readonly gas: SwapGas;
}

/** Swaps through SwapRouter02, and through routers that have its interface, with QuoterV2. */
export const swapRouter02 = ({ feeTiers, gas }: RouterOfTiers): SwapRouting => ({
  forms: ['plain'],
  gas,
  // A concentrated pool may have to cross more ticks than in the simulation.
  spareGasPerHop: 30_000n,
  quotesByView: false,
  quoteCall: ({ quoter }, path, amountIn) => ({
    to: quoter!.address,
    data: QUOTE_EXACT_INPUT + encodeUint(64) + encodeUint(amountIn) + encodeBytes(encodeV3Path(path)),
  }),
  /** (uint256 amountOut, uint160[] prices, uint32[] crossedTicks, uint256 gasEstimate) */
  readQuote: (answer) => {
    const words = uintWords(answer);
    if (words === null || words.length < 6) return null;
    return words[0]!;
  },
  swapData,
  /** bytes[] of the multicall; the first holds the amount of the swap. */
  statedOutput: (answer) => {
    const words = uintWords(answer);
    if (words === null || words[0] !== 32n || !(words[1]! > 0n)) return null;
    const at = 2 + Number(words[2]! / 32n);
    return words[at] === 32n ? (words[at + 1] ?? null) : null;
  },
  factoryChecks: () =>
    feeTiers.map((fee) => ({
      data: FEE_AMOUNT_TICK_SPACING + encodeUint(fee),
      problem: `has not enabled the fee tier ${fee}`,
    })),
});

/**
 * What a pool of UniswapV3Pool's code does at ticks. A tick costs 21,700 where it was crossed before and 55,500 where it was not,
 * which no event tells: this is the amount that is wrong by the same part of either.
 */
export const V3_TICK_GAS: TickGas = { moved: 6_600n, word: 7_600n, crossed: 31_000n, firstCrossed: 9_300n };

/** Token, fee, token, fee, token…: 20 and 3 bytes, packed. */
function encodeV3Path({ tokens, fees }: SwapPath): Hex {
  return tokens.map((token, n) => (n === 0 ? token : fees[n - 1]!.toString(16).padStart(6, '0') + token)).join('');
}

/** The deadline is the multicall's; a native output stays in the router until it is unwrapped for the recipient. */
function swapData(order: EvmSwapOrder): Hex {
  const { tokens, fees, amountIn, floor, recipient, nativeOut, deadline } = order;
  const payee = encodeAddress(nativeOut ? ROUTER_ITSELF : recipient);
  const amounts = encodeUint(amountIn) + encodeUint(floor);
  const swap =
    fees.length === 1
      ? EXACT_INPUT_SINGLE +
        encodeAddress(tokens[0]!) +
        encodeAddress(tokens[1]!) +
        encodeUint(fees[0]!) +
        payee +
        amounts +
        encodeUint(0)
      : EXACT_INPUT + encodeUint(32) + encodeUint(128) + payee + amounts + encodeBytes(encodeV3Path(order));
  const calls = nativeOut ? [swap, UNWRAP + encodeUint(floor) + encodeAddress(recipient)] : [swap];
  return MULTICALL + encodeUint(deadline) + encodeUint(64) + bytesList(calls);
}

function bytesList(items: readonly Hex[]): string {
  const encoded = items.map(encodeBytes);
  let next = items.length * 32;
  const offsets = encoded.map((bytes) => {
    const offset = next;
    next += bytes.length / 2;
    return encodeUint(offset);
  });
  return encodeUint(items.length) + offsets.join('') + encoded.join('');
}
