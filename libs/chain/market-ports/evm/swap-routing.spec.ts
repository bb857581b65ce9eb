import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex as Prefixed,
  parseAbi,
} from 'viem';
import { uniswapV3Routing } from '#libs/chain/venues/uniswap-v3/routing.js';
import { SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { EvmSwapOrder } from './swap-routing.js';
import { v2Router02 } from './v2-pair/v2-router02.js';
import { swapRouter02 } from './v3-pool/swap-router02.js';

const V2 = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[])',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
]);
const V3 = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256, uint160[], uint32[], uint256)',
  'function exactInputSingle(Single params) payable returns (uint256)',
  'function exactInput(Path params) payable returns (uint256)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
]);

const at = (id: string): Prefixed => `0x${id}`;
const bare = (data: Prefixed): string => data.slice(2);
const v3 = swapRouter02({ feeTiers: [100, 3000], gas: uniswapV3Routing.swaps.gas });

/** Orders over one to three pools, with the coin at neither end, or at one of them. */
function orders(count: number): EvmSwapOrder[] {
  const random = new SeededRandom(5);
  return Array.from({ length: count }, () => {
    const hops = random.int(1, 3);
    const end = random.int(0, 2);
    return {
      tokens: Array.from({ length: hops + 1 }, () => random.hex(20)),
      fees: Array.from({ length: hops }, () => random.pick([100, 500, 2500, 3000, 10_000])),
      amountIn: random.bits(256),
      floor: random.bits(256),
      recipient: random.hex(20),
      deadline: BigInt(random.int(1, 2 ** 31)),
      nativeIn: end === 1,
      nativeOut: end === 2,
    };
  });
}

const packed = ({ tokens, fees }: EvmSwapOrder): Prefixed =>
  encodePacked(
    tokens.flatMap((_, n) => (n === 0 ? ['address'] : ['uint24', 'address'])),
    tokens.flatMap((token, n) => (n === 0 ? [at(token)] : [fees[n - 1]!, at(token)])),
  );

describe('call data of swaps, against viem', () => {
  it('of UniswapV2Router02', () => {
    const named = new Set<string>();
    for (const order of orders(scaled(2_000, 200))) {
      for (const form of v2Router02.forms) {
        const { functionName, args } = decodeFunctionData({ abi: V2, data: at(v2Router02.swapData(order, form)) });
        const { amountIn, floor, deadline } = order;
        const path = order.tokens.map(at);
        const rest = [floor, path, at(order.recipient), deadline];
        const plainArgs = (args as readonly unknown[]).map((arg) =>
          JSON.stringify(arg, (_, v) => (typeof v === 'bigint' ? `${v}` : v)).toLowerCase(),
        );
        const expected = (order.nativeIn ? rest : [amountIn, ...rest]).map((arg) =>
          JSON.stringify(arg, (_, v) => (typeof v === 'bigint' ? `${v}` : v)).toLowerCase(),
        );
        expect(plainArgs).toEqual(expected);
        const kind = order.nativeIn ? 'ETHForTokens' : order.nativeOut ? 'TokensForETH' : 'TokensForTokens';
        expect(functionName).toBe(`swapExact${kind}${form === 'plain' ? '' : 'SupportingFeeOnTransferTokens'}`);
        named.add(functionName);
      }
      const call = v2Router02.quoteCall({ router: 'aa'.repeat(20) }, order, order.amountIn);
      const args = [order.amountIn, order.tokens.map(at)] as const;
      expect(call).toEqual({
        to: 'aa'.repeat(20),
        data: bare(encodeFunctionData({ abi: V2, functionName: 'getAmountsOut', args })),
      });
    }
    expect(named.size).toBe(6);
  });

  it('of SwapRouter02 and QuoterV2', () => {
    const named = new Set<string>();
    for (const order of orders(scaled(2_000, 200))) {
      const { amountIn, floor, fees, tokens, deadline } = order;
      const recipient = at(order.nativeOut ? '2'.padStart(40, '0') : order.recipient);
      const amounts = { amountIn, amountOutMinimum: floor };
      const swap =
        fees.length === 1
          ? encodeFunctionData({
              abi: V3,
              functionName: 'exactInputSingle',
              args: [
                {
                  tokenIn: at(tokens[0]!),
                  tokenOut: at(tokens[1]!),
                  fee: fees[0]!,
                  recipient,
                  ...amounts,
                  sqrtPriceLimitX96: 0n,
                },
              ],
            })
          : encodeFunctionData({
              abi: V3,
              functionName: 'exactInput',
              args: [{ path: packed(order), recipient, ...amounts }],
            });
      const unwrap = encodeFunctionData({ abi: V3, functionName: 'unwrapWETH9', args: [floor, at(order.recipient)] });
      const calls = order.nativeOut ? [swap, unwrap] : [swap];
      const whole = encodeFunctionData({ abi: V3, functionName: 'multicall', args: [deadline, calls] });
      expect(v3.swapData(order, 'plain')).toBe(bare(whole));
      named.add(`${fees.length} ${order.nativeOut}`);
      const args = [packed(order), amountIn] as const;
      expect(v3.quoteCall({ router: '', quoter: { address: 'bb'.repeat(20) } }, order, amountIn)).toEqual({
        to: 'bb'.repeat(20),
        data: bare(encodeFunctionData({ abi: V3, functionName: 'quoteExactInput', args })),
      });
    }
    expect(named.size).toBe(6);
  });
});

describe('what the contracts answer', () => {
  const random = new SeededRandom(6);
  const path = { tokens: ['a', 'b', 'c'].map((one) => one.repeat(40)), fees: [100, 500] };

  it('is read as they encode it, and nothing else is', () => {
    for (let n = 0; n < 50; n++) {
      const amounts = [random.bits(256), random.bits(256), random.bits(256)];
      const list = bare(encodeAbiParameters([{ type: 'uint256[]' }], [amounts]));
      expect(v2Router02.readQuote(list, path)).toBe(amounts[2]);
      expect([v2Router02.statedOutput(list, 'plain'), v2Router02.statedOutput(list, 'by-balance')]).toEqual([
        amounts[2],
        null,
      ]);
      const quote = bare(
        encodeAbiParameters(
          [{ type: 'uint256' }, { type: 'uint160[]' }, { type: 'uint32[]' }, { type: 'uint256' }],
          [amounts[0]!, [1n, 2n], [3, 4], 90_000n],
        ),
      );
      expect(v3.readQuote(quote, path)).toBe(amounts[0]);
      const word = encodeAbiParameters([{ type: 'uint256' }], [amounts[1]!]);
      for (const results of [[word], [word, '0x' as const]]) {
        expect(v3.statedOutput(bare(encodeAbiParameters([{ type: 'bytes[]' }], [results])), 'plain')).toBe(amounts[1]);
      }
    }
    const wrong = ['', '00', 'f'.repeat(64), 'f'.repeat(320), '0'.repeat(128)];
    for (const answer of wrong) {
      expect([v2Router02.readQuote(answer, path), v3.statedOutput(answer, 'plain')]).toEqual([null, null]);
    }
    for (const answer of wrong.slice(0, 4)) expect(v3.readQuote(answer, path)).toBeNull();
    expect(v2Router02.readQuote(bare(encodeAbiParameters([{ type: 'uint256[]' }], [[1n, 2n]])), path)).toBeNull();
  });

  it('of the factory is asked for every fee tier', () => {
    expect(v3.factoryChecks()).toEqual([
      { data: `22afcccb${'64'.padStart(64, '0')}`, problem: 'has not enabled the fee tier 100' },
      { data: `22afcccb${'bb8'.padStart(64, '0')}`, problem: 'has not enabled the fee tier 3000' },
    ]);
    expect(v2Router02.factoryChecks()).toEqual([]);
  });
});
