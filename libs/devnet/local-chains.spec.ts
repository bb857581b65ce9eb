import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem';
import type { ChainSpec, VenueSpec } from '#libs/chains/chain-spec.js';
import { chainSpec } from '#libs/chains/registry.js';
import { type ChainPool, type LocalChain, type LocalSlug, startLocalChain } from './local-chain.js';
import type { ExchangeSites } from './market-plan.js';
import { MARKETS } from './markets/all.js';
import { ERC20_ABI, MAX_UINT256, PAIR_ABI, V2_ROUTER_ABI, WETH_ABI } from './periphery-abi.js';
import { type SwapOrder, v2RouterCall, v2SwapRouter02Call, v3RouterCall } from './swap-orders.js';
import { readConcentrated, swapAlone } from './test/genuine-pool.js';
import { LocalWallet } from './test/local-wallet.js';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from './tick-math.js';

const SEED = 9;
const HISTORY = 40;
const COIN = 10n ** 18n;

const ABI = parseAbi([
  'struct Quote { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Quote params) returns (uint256, uint160, uint32, uint256)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
  'function feeAmountTickSpacing(uint24 fee) view returns (int24)',
  'function fee() view returns (uint24)',
]);

/** Fewest pools of one version from a token to another, or null. */
function hopsBetween(pools: readonly ChainPool[], version: 'v2' | 'v3', from: string, to: string): number | null {
  let reached = new Set([from]);
  for (let hops = 1; hops <= 4; hops++) {
    const next = new Set(reached);
    for (const pool of pools) {
      if (pool.version !== version) continue;
      if (reached.has(pool.token0)) next.add(pool.token1);
      if (reached.has(pool.token1)) next.add(pool.token0);
    }
    if (next.has(to)) return hops;
    reached = next;
  }
  return null;
}

describe.each(['eth', 'bsc', 'base', 'chaind'] as const)('the local chain of %s', (slug: LocalSlug) => {
  const spec = chainSpec(slug) as ChainSpec;
  const market = MARKETS[slug];
  const sites: ExchangeSites = market.exchange;
  const [v2Venue, v3Venue] = ['v2', 'v3'].map((protocol) =>
    spec.venues.find((venue) => venue.protocol === protocol),
  ) as [VenueSpec, VenueSpec];
  let dataDir: string;
  let chain: LocalChain;
  let wallet: LocalWallet;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
    chain = await startLocalChain({ chain: slug, dataDir, seed: SEED, historyBlocks: HISTORY, autoMine: false });
    wallet = new LocalWallet(chain, slug);
    const rich = (address: string, decimals: number, usd: number) => ({
      token: address,
      amount: (BigInt(Math.round((5_000 / usd) * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n,
    });
    await chain.fund(wallet.address, {
      eth: 100n * COIN,
      tokens: chain.tokens.map(({ address, decimals, usd }) => rich(address, decimals, usd)),
    });
  }, 120_000);

  afterAll(async () => {
    await chain.stop();
    await rm(dataDir, { recursive: true });
  }, 60_000);

  const token = (symbol: string): Hex => chain.tokens.find((candidate) => candidate.symbol === symbol)?.address as Hex;
  const planned = (contract: string): Hex =>
    token(market.tokens.find((candidate) => candidate.contract === contract)?.symbol as string);
  const coin = sites.wrapped as Hex;
  const stable = `0x${spec.stables[0]?.token}` as Hex;
  const call = async (to: string, data: Hex, from: string = wallet.address): Promise<Hex> =>
    chain.rpc.call<Hex>('eth_call', [{ from, to, data }, 'latest']);
  const balance = async (of: string, owner: string = wallet.address): Promise<bigint> => {
    const args = [owner as Hex] as const;
    return BigInt(await call(of, encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args })));
  };
  const approve = (spender: string, amount = MAX_UINT256): Hex =>
    encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args: [spender as Hex, amount] });
  const poolOf = (version: 'v2' | 'v3', a: string, b: string): ChainPool => {
    const between = (pool: ChainPool) =>
      [pool.token0, pool.token1].includes(a) && [pool.token0, pool.token1].includes(b);
    return chain.pools.find((pool) => pool.version === version && between(pool)) as ChainPool;
  };
  const order = (pool: ChainPool, path: Hex[], amountIn: bigint, more: Partial<SwapOrder> = {}): SwapOrder => ({
    ...{ pools: [pool], path, amountIn, amountOutMin: 0n, recipient: wallet.address },
    ...{ payEther: false, takeEther: false, taxed: false, ...more },
  });
  const ofContract = async (fn: string, to: string): Promise<bigint> => {
    const abi = parseAbi([`function ${fn}() view returns (uint256)`]);
    return BigInt(await call(to, encodeFunctionData({ abi, functionName: fn } as never)));
  };
  /** Output of the constant product by the venue's fee, written here once more. */
  const product = (amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint => {
    const { numerator, denominator } = v2Venue.contracts!.fee!;
    const taken = amountIn * BigInt(numerator);
    return (taken * reserveOut) / (reserveIn * BigInt(denominator) + taken);
  };
  const reservesOf = async (pool: ChainPool, tokenIn: string): Promise<[bigint, bigint]> => {
    const raw = await call(pool.address, encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' }));
    const [reserve0, reserve1] = [BigInt(raw.slice(0, 66)), BigInt(`0x${raw.slice(66, 130)}`)];
    return tokenIn === pool.token0 ? [reserve0, reserve1] : [reserve1, reserve0];
  };

  test('stands where the chain specification says, under its id', async () => {
    expect(Number(await chain.rpc.call('eth_chainId'))).toBe(spec.chainId);
    expect([chain.slug, chain.chainId]).toEqual([slug, spec.chainId]);
    const plain = (address: string) => address.slice(2);
    expect(plain(sites.wrapped)).toBe(spec.wrappedNative.token);
    expect(plain(sites.v2Factory)).toBe(v2Venue.factory);
    expect(plain(sites.v2Router)).toBe(v2Venue.contracts?.router);
    expect(plain(sites.v3Factory)).toBe(v3Venue.factory);
    expect(plain(sites.v3Router)).toBe(v3Venue.contracts?.router);
    expect(plain(sites.quoterV2)).toBe(v3Venue.contracts?.quoter?.address);
    expect(Object.keys(sites.tickSpacings).map(Number)).toEqual(v3Venue.contracts?.feeTiers);
    // Dollars at a fixed address are those of the specification; its first one is among them.
    const dollars = market.tokens.filter(({ volatility, address }) => volatility < 0.001 && address !== undefined);
    const known = new Map(spec.stables.map((stableRef) => [`0x${stableRef.token}`, stableRef]));
    for (const { address, symbol, decimals } of dollars) {
      expect(known.get(address as string)).toMatchObject({ symbol, decimals });
    }
    expect(dollars.map(({ address }) => address)).toContain(stable);
    const [symbol] = await chain.rpc.view([{ to: coin, data: '0x95d89b41' }]);
    expect(
      Buffer.from((symbol as string).slice(130), 'hex')
        .toString()
        .replace(/\0/g, ''),
    ).toBe(spec.wrappedNative.symbol);
  });

  test('getters point at the factory and the wrapped coin, tiers are enabled, and pins are the code that stands', async () => {
    const address = (value: bigint) => value.toString(16).padStart(40, '0');
    for (const venue of [v2Venue, v3Venue]) {
      const { router, routerFactoryGetter, routerWrappedNativeGetter, quoter } = venue.contracts!;
      expect(address(await ofContract(routerFactoryGetter, `0x${router}`))).toBe(venue.factory);
      expect(address(await ofContract(routerWrappedNativeGetter, `0x${router}`))).toBe(spec.wrappedNative.token);
      if (quoter) {
        expect(address(await ofContract(quoter.factoryGetter, `0x${quoter.address}`))).toBe(venue.factory);
        const wrapped = await ofContract(quoter.wrappedNativeGetter, `0x${quoter.address}`);
        expect(address(wrapped)).toBe(spec.wrappedNative.token);
      }
      for (const fee of venue.contracts?.feeTiers ?? []) {
        const data = encodeFunctionData({ abi: ABI, functionName: 'feeAmountTickSpacing', args: [fee] });
        expect(Number(await call(sites.v3Factory, data))).toBe(sites.tickSpacings[fee]);
      }
    }
    expect(chain.codePins.size).toBe(6);
    for (const [pinned, hash] of chain.codePins) {
      const code = await chain.rpc.call<Hex>('eth_getCode', [`0x${pinned}`, 'latest']);
      expect(code.length).toBeGreaterThan(2_000);
      expect(keccak256(code).slice(2)).toBe(hash);
    }
  });

  test('the market has what routes are tried on', async () => {
    const { pools } = chain;
    expect(pools.some(({ version, fee }) => version === 'v3' && fee === 100)).toBe(true);
    const taxed = planned('TaxedToken');
    for (const [a, b] of [
      [coin, stable],
      [taxed, coin],
    ] as const) {
      for (const version of ['v2', 'v3'] as const) expect(poolOf(version, a, b)).toBeDefined();
    }
    const tradable = chain.tokens.filter(({ gated }) => !gated).map(({ address }) => address);
    for (const version of ['v2', 'v3'] as const) {
      const far = tradable.flatMap((a) => tradable.map((b) => hopsBetween(pools, version, a, b)));
      expect([version, far.includes(3)]).toEqual([version, true]);
    }
    expect(market.tokens.map(({ contract }) => contract)).toEqual(
      expect.arrayContaining(['NoReturnToken', 'Bytes32Token', 'TaxedToken', 'GatedToken']),
    );
  });

  test('V2: a swap gives what the venue fee leaves, and the pair itself allows not a unit more', async () => {
    const pool = poolOf('v2', coin, stable);
    const amountIn = COIN / 7n;
    const [reserveIn, reserveOut] = await reservesOf(pool, coin);
    const expected = product(amountIn, reserveIn, reserveOut);
    const quote = encodeFunctionData({ abi: ABI, functionName: 'getAmountsOut', args: [amountIn, [coin, stable]] });
    expect(BigInt(`0x${(await call(sites.v2Router, quote)).slice(-64)}`)).toBe(expected);

    const before = await balance(stable);
    const paid = v2RouterCall(sites, order(pool, [coin, stable], amountIn, { payEther: true }));
    expect((await wallet.run(paid.router, paid.data, amountIn)).status).toBe('0x1');
    expect((await balance(stable)) - before).toBe(expected);

    // The same through the V3 router, which serves V2 pools as well.
    const [again, left] = await reservesOf(pool, coin);
    await wallet.run(coin, approve(sites.v3Router));
    const other = v2SwapRouter02Call(sites, order(pool, [coin, stable], amountIn));
    const held = await balance(stable);
    expect((await wallet.run(other.router, other.data)).status).toBe('0x1');
    expect((await balance(stable)) - held).toBe(product(amountIn, again, left));

    const [now, rest] = await reservesOf(pool, coin);
    const most = product(amountIn, now, rest);
    const args = [pool.address as Hex, amountIn] as const;
    const transfer = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args });
    expect((await wallet.run(coin, transfer)).status).toBe('0x1');
    const take = (amount: bigint) => {
      const [out0, out1] = coin === pool.token0 ? [0n, amount] : [amount, 0n];
      const data = encodeFunctionData({ abi: ABI, functionName: 'swap', args: [out0, out1, wallet.address, '0x'] });
      return call(pool.address, data);
    };
    await expect(take(most)).resolves.toBe('0x');
    await expect(take(most + 1n)).rejects.toThrow(/: K/);
    const skim = encodeFunctionData({
      ...{ abi: parseAbi(['function skim(address to)']), functionName: 'skim', args: [wallet.address] },
    } as never);
    expect((await wallet.run(pool.address, skim)).status).toBe('0x1');
  });

  test('V3: quoter, router and rules agree to the unit in every pool, and coins come out as coins', async () => {
    for (const pool of chain.pools.filter(({ version }) => version === 'v3')) {
      expect(await ofContract('fee', pool.address)).toBe(BigInt(pool.fee));
      const state = await readConcentrated(chain.rpc, pool);
      for (const zeroForOne of [true, false]) {
        const amountIn = (zeroForOne ? state.held0 : state.held1) / 50n + 1n;
        const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
        const [tokenIn, tokenOut] = (zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]) as Hex[];
        const args = [{ tokenIn, tokenOut, amountIn, fee: pool.fee, sqrtPriceLimitX96: 0n }] as never;
        const quoted = await call(
          sites.quoterV2,
          encodeFunctionData({ abi: ABI, functionName: 'quoteExactInputSingle', args }),
        );
        expect(BigInt(quoted.slice(0, 66))).toBe(-swapAlone(state, zeroForOne, amountIn, limit).delta);
      }
    }
    const pool = poolOf('v3', coin, stable);
    const amountIn = COIN / 5n;
    const state = await readConcentrated(chain.rpc, pool);
    const zeroForOne = pool.token0 === coin;
    const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
    const before = await balance(stable);
    const paid = v3RouterCall(sites, order(pool, [coin, stable], amountIn, { payEther: true }));
    const inTime = encodeFunctionData({ abi: ABI, functionName: 'multicall', args: [10n ** 12n, [paid.data]] });
    expect((await wallet.run(paid.router, inTime, amountIn)).status).toBe('0x1');
    const bought = (await balance(stable)) - before;
    expect(bought).toBe(-swapAlone(state, zeroForOne, amountIn, limit).delta);

    await wallet.run(stable, approve(sites.v3Router));
    const after = await readConcentrated(chain.rpc, pool);
    const back = -swapAlone(after, !zeroForOne, bought, zeroForOne ? MAX_SQRT_RATIO - 1n : MIN_SQRT_RATIO + 1n).delta;
    const coins = await wallet.coins();
    const sold = v3RouterCall(sites, order(pool, [stable, coin], bought, { takeEther: true }));
    const receipt = await wallet.run(sold.router, sold.data);
    expect(receipt.status).toBe('0x1');
    expect((await wallet.coins()) - coins).toBe(back - BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice));
    expect(back).toBeLessThan(amountIn);
  });

  test('a chain of hops through both routers ends where the path says', async () => {
    for (const version of ['v2', 'v3'] as const) {
      const onward = chain.pools.find(
        (pool) =>
          pool.version === version &&
          pool.weight > 0 &&
          [pool.token0, pool.token1].includes(coin) &&
          ![pool.token0, pool.token1].includes(stable) &&
          !chain.tokens.find(({ address }) => [pool.token0, pool.token1].includes(address) && address !== coin)?.taxed,
      ) as ChainPool;
      const last = (onward.token0 === coin ? onward.token1 : onward.token0) as Hex;
      const amountIn = (await balance(stable)) / 20n;
      const path = [stable, coin, last];
      const swap = order(poolOf(version, coin, stable), path, amountIn, {
        pools: [poolOf(version, coin, stable), onward],
      });
      const { router, data } = version === 'v2' ? v2RouterCall(sites, swap) : v3RouterCall(sites, swap);
      await wallet.run(stable, approve(router, 0n));
      await wallet.run(stable, approve(router));
      const before = await balance(last);
      expect((await wallet.run(router, data)).status).toBe('0x1');
      expect(await balance(last)).toBeGreaterThan(before);
    }
  });

  test('odd tokens are odd: approval from zero only, tax, gate, wrapping', async () => {
    const strict = planned('NoReturnToken');
    expect((await wallet.run(strict, approve(sites.v2Router, 5n))).status).toBe('0x1');
    expect((await wallet.run(strict, approve(sites.v2Router, 6n))).status).toBe('0x0');
    expect((await wallet.run(strict, approve(sites.v2Router, 0n))).status).toBe('0x1');
    expect(await call(strict, approve(sites.v2Router, 6n))).toBe('0x');

    const to = '0x00000000000000000000000000000000000b0a75';
    const transfer = (amount: bigint) =>
      encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [to, amount] });
    const taxed = planned('TaxedToken');
    expect((await wallet.run(taxed, transfer(1_000n))).status).toBe('0x1');
    expect(await balance(taxed, to)).toBe(970n);

    const gated = planned('GatedToken');
    expect(await balance(gated)).toBeGreaterThan(0n);
    await expect(call(gated, transfer(1n))).rejects.toThrow('transfers are closed');
    await wallet.run(gated, approve(sites.v2Router));
    const pool = poolOf('v2', gated, coin);
    const path = [gated, coin];
    const args = [1_000_000n, 0n, path, wallet.address, 10n ** 12n] as const;
    const sale = encodeFunctionData({ abi: V2_ROUTER_ABI, functionName: 'swapExactTokensForTokens', args });
    expect((await reservesOf(pool, gated))[0]).toBeGreaterThan(0n);
    await expect(call(sites.v2Router, sale)).rejects.toThrow(/TRANSFER_FROM_FAILED|transferFrom/);

    const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
    const held = await balance(coin);
    expect((await wallet.run(coin, deposit, 3n)).status).toBe('0x1');
    expect((await balance(coin)) - held).toBe(3n);
  });

  test('traders use both routers, seldom fail and leave alone what they should', async () => {
    const head = Number(await chain.rpc.call('eth_blockNumber'));
    const left = new Set(chain.pools.filter(({ weight }) => weight === 0).map(({ address }) => address));
    const counted = new Map<string, number>();
    let failed = 0;
    await chain.mine();
    for (let height = 0; height <= head; height++) {
      const receipts = await chain.rpc.call<
        { to: string | null; status: string; from: string; logs: { address: string }[] }[]
      >('eth_getBlockReceipts', [`0x${height.toString(16)}`]);
      for (const { to, status, from, logs } of receipts) {
        if (from === chain.deployer || from === wallet.address) continue;
        counted.set(to ?? '', (counted.get(to ?? '') ?? 0) + 1);
        if (status !== '0x1') failed++;
        expect(logs.some(({ address }) => left.has(address))).toBe(false);
      }
    }
    expect(counted.get(sites.v2Router)).toBeGreaterThan(10);
    expect(counted.get(sites.v3Router)).toBeGreaterThan(10);
    expect(failed).toBeLessThan(8);
  });

  test('a signed transaction outlives a reorg under its hash; a restart resumes the chain with its pins', async () => {
    const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
    const { transactionHash } = await wallet.run(coin, deposit, 5n);
    await chain.mine();
    await chain.reorg(4);
    expect(await chain.rpc.call('eth_getTransactionReceipt', [transactionHash])).toMatchObject({ status: '0x1' });

    const { genesisHash, codePins, pools } = chain;
    const head = await chain.rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await chain.stop();
    const another = slug === 'eth' ? 'base' : 'eth';
    await expect(startLocalChain({ chain: another, dataDir, autoMine: false })).rejects.toThrow(`id ${spec.chainId}`);
    chain = await startLocalChain({ chain: slug, dataDir, autoMine: false });
    expect(chain.resumed).toBe(true);
    expect(chain.genesisHash).toBe(genesisHash);
    expect(chain.codePins).toEqual(codePins);
    expect(chain.pools).toEqual(pools);
    expect(await chain.rpc.call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ hash: head.hash });
    await chain.mine();
  });
});
