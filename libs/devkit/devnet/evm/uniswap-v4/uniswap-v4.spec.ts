import { decodeAbiParameters, encodeFunctionData, type Hex, keccak256, toHex } from 'viem';
import type { RpcLog } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { approve, COIN, LocalWorld } from '../test/local-world.js';
import { readAll } from '../test/read-chain.js';
import { DEALER_ABI } from './abi.js';
import { type ChainV4Pool, COIN_ADDRESS, DEALER, FEE_HOOK, NO_HOOKS, poolKey } from './chain-pool.js';

/** The genuine pool manager on a local chain: pools in the log, exact payments, a hook that changes amounts, traders. */
const SEED = 5;
const HISTORY = 60;
const topic = (signature: string): string => keccak256(toHex(signature));
const INITIALIZE = topic('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)');
const SWAP = topic('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)');
const SWAP_DATA = ['int128', 'int128', 'uint160', 'uint128', 'int24', 'uint24'].map((type) => ({ type }));

let world: LocalWorld;
beforeAll(async () => {
  world = await LocalWorld.start('eth', SEED, HISTORY);
}, 180_000);
afterAll(() => world.close(), 60_000);

const managerLogs = (logs: readonly RpcLog[]): RpcLog[] =>
  logs.filter(({ address }) => address === world.market.v4!.poolManager);

const pool = (suits: (each: ChainV4Pool) => boolean): ChainV4Pool => world.chain.v4Pools.find(suits) as ChainV4Pool;

async function swapped(on: ChainV4Pool, zeroForOne: boolean, amountIn: bigint): Promise<[bigint, bigint]> {
  const { wallet } = world;
  const args = [poolKey(on), zeroForOne, amountIn, 0n, wallet.address] as const;
  const data = encodeFunctionData({ abi: DEALER_ABI, functionName: 'swap', args });
  const paysCoin = zeroForOne && on.token0 === COIN_ADDRESS;
  const receipt = (await wallet.run(DEALER, data, paysCoin ? 2n * amountIn : 0n)) as unknown as { logs: RpcLog[] };
  const [log] = managerLogs(receipt.logs).filter(({ topics }) => topics[0] === SWAP);
  expect(log!.topics[1]).toBe(on.id);
  const [amount0, amount1] = decodeAbiParameters(SWAP_DATA, log!.data as Hex) as unknown as [bigint, bigint];
  return [amount0, amount1];
}

test('every planned pool is announced under its id, and traders swap in pools of the coin, of tokens and with a hook', async () => {
  const { receipts } = await readAll(world.chain.rpc);
  const logs = managerLogs(receipts.flat().flatMap((receipt) => receipt.logs));
  const announced = logs.filter(({ topics }) => topics[0] === INITIALIZE).map(({ topics }) => topics[1]);
  expect(announced).toEqual(world.chain.v4Pools.map(({ id }) => id));
  expect(world.chain.v4Pools.map(({ hooks }) => hooks)).toEqual([NO_HOOKS, NO_HOOKS, NO_HOOKS, FEE_HOOK]);
  const setUp = receipts.findLastIndex((block) =>
    block.some((receipt) => managerLogs(receipt.logs).some(({ topics }) => topics[0] === INITIALIZE)),
  );
  const traded = receipts.slice(setUp + 1).flatMap((block) => block.flatMap((receipt) => managerLogs(receipt.logs)));
  const ids = new Set(traded.filter(({ topics }) => topics[0] === SWAP).map(({ topics }) => topics[1]));
  expect(ids.size).toBeGreaterThanOrEqual(2);
});

test('a pool of the coin: what the log states is paid and received, the rest of the coin comes back', async () => {
  const on = pool(({ token0, token1 }) => token0 === COIN_ADDRESS && token1 === world.stable);
  const { wallet } = world;
  const [coins, held] = [await wallet.coins(), await world.balance(world.stable)];
  const [amount0, amount1] = await swapped(on, true, COIN / 10n);
  expect(amount0).toBe(-COIN / 10n);
  expect((await world.balance(world.stable)) - held).toBe(amount1);
  const spent = coins - (await wallet.coins());
  expect(spent >= COIN / 10n && spent < COIN / 5n).toBe(true);
  await wallet.run(world.stable, approve(DEALER));
  const [out0, in1] = await swapped(on, false, 50_000_000n);
  expect([out0 > 0n, in1]).toEqual([true, -50_000_000n]);
});

test('a pool with the hook gives one percent less than its log states', async () => {
  const on = pool(({ hooks }) => hooks === FEE_HOOK);
  const zeroForOne = on.token0 === world.stable;
  const output = zeroForOne ? on.token1 : on.token0;
  await world.wallet.run(world.stable, approve(DEALER));
  const [held, kept] = [await world.balance(output), await world.balance(output, FEE_HOOK)];
  const amounts = await swapped(on, zeroForOne, 100_000_000n);
  const stated = amounts[zeroForOne ? 1 : 0]!;
  expect((await world.balance(output)) - held).toBe(stated - stated / 100n);
  expect((await world.balance(output, FEE_HOOK)) - kept).toBe(stated / 100n);
});
