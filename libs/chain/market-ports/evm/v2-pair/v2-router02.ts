import { encodeAddress, encodeUint } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import { uintWords } from '../abi-words.js';
import type { EvmSwapOrder, SwapForm, SwapPath, SwapRouting } from '../swap-routing.js';

const GET_AMOUNTS_OUT = 'd06ca61f'; // getAmountsOut(uint256,address[])

/** swapExact<in>For<out>, by what goes in and out and by how the router pays. */
const SWAPS: Readonly<Record<SwapForm, { tokens: string; nativeIn: string; nativeOut: string }>> = {
  plain: { tokens: '38ed1739', nativeIn: '7ff36ab5', nativeOut: '18cbafe5' },
  // …SupportingFeeOnTransferTokens
  'by-balance': { tokens: '5c11d795', nativeIn: 'b6f9de95', nativeOut: '791ac947' },
};

/** Swaps through UniswapV2Router02 and the forks that have its interface. */
export const v2Router02: SwapRouting = {
  forms: ['plain', 'by-balance'],
  gas: { transaction: 41_400n, pool: 55_200n, nativeIn: 4_500n, nativeOut: 14_100n, ticks: null },
  spareGasPerHop: 0n,
  quotesByView: true,
  quoteCall: ({ router }, { tokens }, amountIn) => ({
    to: router,
    data: GET_AMOUNTS_OUT + encodeUint(amountIn) + encodeUint(64) + addressList(tokens),
  }),
  /** uint256[] of one amount a token; the last comes out. */
  readQuote: (answer, { tokens }: SwapPath) => {
    const words = uintWords(answer);
    const count = tokens.length;
    if (words === null || words.length !== count + 2 || words[0] !== 32n || words[1] !== BigInt(count)) return null;
    return words[words.length - 1]!;
  },
  swapData,
  statedOutput: (answer, form) => (form === 'plain' ? lastAmount(answer) : null),
  factoryChecks: () => [],
};

function swapData(order: EvmSwapOrder, form: SwapForm): Hex {
  const { nativeIn, nativeOut, amountIn, floor, tokens, recipient, deadline } = order;
  const selector = SWAPS[form][nativeIn ? 'nativeIn' : nativeOut ? 'nativeOut' : 'tokens'];
  // The coin that goes in is the transaction's value; everything else names its amount.
  const amounts = nativeIn ? [floor] : [amountIn, floor];
  const heads = amounts.length + 3;
  return (
    selector +
    amounts.map(encodeUint).join('') +
    encodeUint(heads * 32) +
    encodeAddress(recipient) +
    encodeUint(deadline) +
    addressList(tokens)
  );
}

const addressList = (tokens: readonly Hex[]): string => encodeUint(tokens.length) + tokens.map(encodeAddress).join('');

/** The last entry of a uint256[]; null when the data is none. */
function lastAmount(answer: Hex): bigint | null {
  const words = uintWords(answer);
  return words === null || words.length < 3 ? null : words[words.length - 1]!;
}
