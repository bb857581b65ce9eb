import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from '#libs/chain/amm/tick-math.js';
import type { ChainPool } from './local-chain.js';
import { V2_ROUTER_ABI, WETH_ABI } from './periphery-abi.js';
import { v2RouterCall, v2SwapRouter02Call, v3RouterCall } from './swap-orders.js';
import { readConcentrated, swapAlone } from './test/genuine-pool.js';
import { approve, COIN, LocalWorld, SLUGS, transfer } from './test/local-world.js';

/** Swaps that an outside wallet signs, through every router of every local chain, to the unit; and the odd tokens. */
const SEED = 11;
const HISTORY = 20;

const ABI = parseAbi([
  'struct Quote { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Quote params) returns (uint256, uint160, uint32, uint256)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function skim(address to)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
]);

const furthest = (zeroForOne: boolean): bigint => (zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n);

describe.each(SLUGS)('swaps on the local chain of %s', (slug) => {
  let world: LocalWorld;

  beforeAll(async () => {
    world = await LocalWorld.start(slug, SEED, HISTORY);
  });

  afterAll(() => world.close(), 60_000);

  /** Output of the constant product by the venue's fee, written here once more. */
  const product = (amountIn: bigint, [reserveIn, reserveOut]: [bigint, bigint]): bigint => {
    const { numerator, denominator } = world.v2Venue.contracts!.fee!;
    const taken = amountIn * BigInt(numerator);
    return (taken * reserveOut) / (reserveIn * BigInt(denominator) + taken);
  };

  test('V2: a swap gives what the venue fee leaves, and the pair itself allows not a unit more', async () => {
    const { wallet, sites, coin, stable } = world;
    const pool = world.poolOf('v2', coin, stable);
    const amountIn = COIN / 7n;
    const expected = product(amountIn, await world.reserves(pool, coin));
    const quote = encodeFunctionData({ abi: ABI, functionName: 'getAmountsOut', args: [amountIn, [coin, stable]] });
    expect(BigInt(`0x${(await world.call(sites.v2Router, quote)).slice(-64)}`)).toBe(expected);

    let held = await world.balance(stable);
    const paid = v2RouterCall(sites, world.order(pool, [coin, stable], amountIn, { payEther: true }));
    expect((await wallet.run(paid.router, paid.data, amountIn)).status).toBe('0x1');
    expect((await world.balance(stable)) - held).toBe(expected);

    // The same through the V3 router, which serves V2 pools as well.
    const next = product(amountIn, await world.reserves(pool, coin));
    await wallet.run(coin, approve(sites.v3Router));
    const other = v2SwapRouter02Call(sites, world.order(pool, [coin, stable], amountIn));
    held = await world.balance(stable);
    expect((await wallet.run(other.router, other.data)).status).toBe('0x1');
    expect((await world.balance(stable)) - held).toBe(next);

    const most = product(amountIn, await world.reserves(pool, coin));
    expect((await wallet.run(coin, transfer(pool.address, amountIn))).status).toBe('0x1');
    const take = (amount: bigint) => {
      const [out0, out1] = coin === pool.token0 ? [0n, amount] : [amount, 0n];
      const args = [out0, out1, wallet.address, '0x'] as const;
      return world.call(pool.address, encodeFunctionData({ abi: ABI, functionName: 'swap', args }));
    };
    await expect(take(most)).resolves.toBe('0x');
    await expect(take(most + 1n)).rejects.toThrow(/: K/);
    const skim = encodeFunctionData({ abi: ABI, functionName: 'skim', args: [wallet.address] });
    expect((await wallet.run(pool.address, skim)).status).toBe('0x1');
  });

  test('V3: quoter and rules agree to the unit in every pool', async () => {
    const { chain, sites } = world;
    for (const pool of chain.pools.filter(({ version }) => version === 'v3')) {
      expect(await world.read('fee', pool.address)).toBe(BigInt(pool.fee));
      const state = await readConcentrated(chain.rpc, pool);
      for (const zeroForOne of [true, false]) {
        const amountIn = (zeroForOne ? state.held0 : state.held1) / 50n + 1n;
        const [tokenIn, tokenOut] = (zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]) as [
          Hex,
          Hex,
        ];
        const args = [{ tokenIn, tokenOut, amountIn, fee: pool.fee, sqrtPriceLimitX96: 0n }] as const;
        const data = encodeFunctionData({ abi: ABI, functionName: 'quoteExactInputSingle', args });
        const quoted = BigInt((await world.call(sites.quoterV2, data)).slice(0, 66));
        expect(quoted).toBe(-swapAlone(state, zeroForOne, amountIn, furthest(zeroForOne)).delta);
        expect(quoted).toBeGreaterThan(0n);
      }
    }
  });

  test('V3: coins go in and come out through the router, to the unit', async () => {
    const { chain, wallet, sites, coin, stable } = world;
    const pool = world.poolOf('v3', coin, stable);
    const amountIn = COIN / 5n;
    const inward = pool.token0 === coin;
    const expected = -swapAlone(await readConcentrated(chain.rpc, pool), inward, amountIn, furthest(inward)).delta;
    const held = await world.balance(stable);
    const paid = v3RouterCall(sites, world.order(pool, [coin, stable], amountIn, { payEther: true }));
    const inTime = encodeFunctionData({ abi: ABI, functionName: 'multicall', args: [10n ** 12n, [paid.data]] });
    expect((await wallet.run(paid.router, inTime, amountIn)).status).toBe('0x1');
    expect((await world.balance(stable)) - held).toBe(expected);

    await wallet.run(stable, approve(sites.v3Router));
    const back = -swapAlone(await readConcentrated(chain.rpc, pool), !inward, expected, furthest(!inward)).delta;
    const coins = await wallet.coins();
    const sold = v3RouterCall(sites, world.order(pool, [stable, coin], expected, { takeEther: true }));
    const { status, gasUsed, effectiveGasPrice } = await wallet.run(sold.router, sold.data);
    expect(status).toBe('0x1');
    expect((await wallet.coins()) - coins).toBe(back - BigInt(gasUsed) * BigInt(effectiveGasPrice));
    expect(back).toBeLessThan(amountIn);
    const late = encodeFunctionData({ abi: ABI, functionName: 'multicall', args: [1n, [paid.data]] });
    expect((await wallet.run(paid.router, late, amountIn)).status).toBe('0x0');
  });

  test.each(['v2', 'v3'] as const)('%s: two pools in a row end where the path says', async (version) => {
    const { chain, wallet, sites, coin, stable } = world;
    const taxed = world.planned('TaxedToken');
    const onward = chain.pools.find(({ token0, token1, weight, ...pool }) => {
      const tokens = [token0, token1];
      const wanted = pool.version === version && weight > 0 && tokens.includes(coin);
      return wanted && !tokens.includes(stable) && !tokens.includes(taxed);
    }) as ChainPool;
    const last = (onward.token0 === coin ? onward.token1 : onward.token0) as Hex;
    const first = world.poolOf(version, coin, stable);
    const order = world.order(first, [stable, coin, last], (await world.balance(stable)) / 20n, {
      pools: [first, onward],
    });
    const { router, data } = version === 'v2' ? v2RouterCall(sites, order) : v3RouterCall(sites, order);
    await wallet.run(stable, approve(router, 0n));
    await wallet.run(stable, approve(router));
    const held = await world.balance(last);
    expect((await wallet.run(router, data)).status).toBe('0x1');
    expect(await world.balance(last)).toBeGreaterThan(held);
  });

  test('odd tokens are odd: approval from zero only, tax, gate', async () => {
    const { wallet, sites, coin } = world;
    const strict = world.planned('NoReturnToken');
    expect((await wallet.run(strict, approve(sites.positionManager, 5n))).status).toBe('0x1');
    expect((await wallet.run(strict, approve(sites.positionManager, 6n))).status).toBe('0x0');
    expect((await wallet.run(strict, approve(sites.positionManager, 0n))).status).toBe('0x1');
    expect(await world.call(strict, approve(sites.positionManager, 6n))).toBe('0x');

    const friend = '0x00000000000000000000000000000000000b0a75';
    const taxed = world.planned('TaxedToken');
    expect((await wallet.run(taxed, transfer(friend, 1_000n))).status).toBe('0x1');
    expect(await world.balance(taxed, friend)).toBe(970n);

    const gated = world.planned('GatedToken');
    expect(await world.balance(gated)).toBeGreaterThan(0n);
    await expect(world.call(gated, transfer(friend, 1n))).rejects.toThrow('transfers are closed');
    await wallet.run(gated, approve(sites.v2Router));
    expect((await world.reserves(world.poolOf('v2', gated, coin), gated))[0]).toBeGreaterThan(0n);
    const args = [1_000_000n, 0n, [gated, coin], wallet.address, 10n ** 12n] as const;
    const sale = encodeFunctionData({ abi: V2_ROUTER_ABI, functionName: 'swapExactTokensForTokens', args });
    await expect(world.call(sites.v2Router, sale)).rejects.toThrow(/TRANSFER_FROM_FAILED|transferFrom/);
    const open = encodeFunctionData({
      abi: parseAbi(['function setOpen(address account, bool opened)']),
      functionName: 'setOpen',
      args: [wallet.address, true],
    });
    await world.chain.rpc.call('eth_sendTransaction', [{ from: world.chain.deployer, to: gated, data: open }]);
    await world.chain.mine({ traders: false });
    await expect(world.call(sites.v2Router, sale)).resolves.toMatch(/^0x/);
  });

  test('coins are wrapped and unwrapped one for one', async () => {
    const { wallet, coin } = world;
    const held = await world.balance(coin);
    const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
    expect((await wallet.run(coin, deposit, 3n)).status).toBe('0x1');
    expect((await world.balance(coin)) - held).toBe(3n);
    const withdraw = encodeFunctionData({ abi: WETH_ABI, functionName: 'withdraw', args: [3n] });
    expect((await wallet.run(coin, withdraw)).status).toBe('0x1');
    expect(await world.balance(coin)).toBe(held);
  });
});
