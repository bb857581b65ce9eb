import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { MAX_TICK } from '#libs/chain/amm/tick-math.js';
import { swapConcentrated } from '#libs/devkit/chain-builder/concentrated-rules.js';
import { type ConcentratedState, issue, MarketState } from '#libs/devkit/chain-builder/market-state.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import type { AnvilRpc } from '../anvil-rpc.js';
import type { ChainPool } from '../local-chain.js';

const POOL_STATE = parseAbi([
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)',
  'function liquidity() view returns (uint128)',
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)',
  'function balanceOf(address) view returns (uint256)',
]);

/** A pool's whole state, read from the chain, in the builder's form. */
export async function readConcentrated(
  rpc: AnvilRpc,
  pool: ChainPool,
): Promise<{ state: ConcentratedState; held0: bigint; held1: bigint }> {
  const abi = POOL_STATE;
  const to = pool.address;
  const balanceOf = encodeFunctionData({ abi, functionName: 'balanceOf', args: [to as Hex] });
  const lastWord = Math.floor(Math.floor(MAX_TICK / pool.tickSpacing) / 256);
  const words = Array.from({ length: 2 * lastWord + 2 }, (_, i) => i - lastWord - 1);
  const [slot0, liquidity, held0, held1] = await rpc.view([
    { to, data: encodeFunctionData({ abi, functionName: 'slot0' }) },
    { to, data: encodeFunctionData({ abi, functionName: 'liquidity' }) },
    { to: pool.token0, data: balanceOf },
    { to: pool.token1, data: balanceOf },
  ]);
  const bitmaps: (Hex | null)[] = [];
  for (let i = 0; i < words.length; i += 1000) {
    const part = words.slice(i, i + 1000);
    const calls = part.map((word) => encodeFunctionData({ abi, functionName: 'tickBitmap', args: [word] }));
    bitmaps.push(...(await rpc.view(calls.map((data) => ({ to, data })))));
  }
  const initialized: number[] = [];
  bitmaps.forEach((bitmap, i) => {
    const bits = BigInt(bitmap as Hex);
    for (let bit = 0; bits >> BigInt(bit) > 0n; bit++) {
      if ((bits >> BigInt(bit)) & 1n) initialized.push(((words[i] as number) * 256 + bit) * pool.tickSpacing);
    }
  });
  const raw = await rpc.view(
    initialized.map((tick) => ({ to, data: encodeFunctionData({ abi, functionName: 'ticks', args: [tick] }) })),
  );
  const ticks = new Map(
    raw.map((answer, i) => {
      const [gross, net] = decodeFunctionResult({ abi, functionName: 'ticks', data: answer as Hex });
      return [initialized[i] as number, { gross, net }];
    }),
  );
  const [sqrtPriceX96, tick] = decodeFunctionResult({ abi, functionName: 'slot0', data: slot0 as Hex });
  return {
    held0: BigInt(held0 as Hex),
    held1: BigInt(held1 as Hex),
    state: {
      kind: 'concentrated',
      factory: OFFICIAL.v3Factory,
      registered: true,
      address: pool.address,
      token0: pool.token0,
      token1: pool.token1,
      fee: pool.fee,
      tickSpacing: pool.tickSpacing,
      sqrtPriceX96,
      tick,
      liquidity: BigInt(liquidity as Hex),
      feeProtocol: 0,
      protocolFees0: 0n,
      protocolFees1: 0n,
      earned0: 0n,
      earned1: 0n,
      ticks,
      positions: new Map(),
    },
  };
}

/** Runs one swap by the builder's rules on a state of its own. Returns what left the pool and the price after. */
export function swapAlone(
  { state, held0, held1 }: Awaited<ReturnType<typeof readConcentrated>>,
  zeroForOne: boolean,
  amountIn: bigint,
  limit: bigint,
): { delta: bigint; after: bigint } {
  const market = MarketState.empty();
  const run = { state: market, logs: [], timestamp: 0 };
  const trader = `0x${'ee'.repeat(20)}`;
  for (const [address, held] of [
    [state.token0, held0],
    [state.token1, held1],
  ] as const) {
    market.addToken({ address, name: '', symbol: '', decimals: 0, behaviour: 'standard', usd: 0 });
    issue(run, address, state.address, held);
    issue(run, address, trader, amountIn);
  }
  market.addPool({ ...state });
  const { amount0, amount1 } = swapConcentrated(
    run,
    state.address,
    trader,
    trader,
    trader,
    zeroForOne,
    amountIn,
    limit,
  );
  return { delta: zeroForOne ? amount1 : amount0, after: market.concentrated(state.address).sqrtPriceX96 };
}
