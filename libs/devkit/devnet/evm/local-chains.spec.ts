import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem';
import type { ExpectedCode } from '#libs/chain/chains/evm/expected-code.js';
import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import { headerHash, logsBloom, receiptsRoot } from '#libs/devkit/chain-builder/block-hash.js';
import { type ChainPool, startLocalChain } from './local-chain.js';
import { WETH_ABI } from './periphery-abi.js';
import { LocalWorld, SLUGS } from './test/local-world.js';
import { readAll } from './test/read-chain.js';

/** Each local chain against the specification of the real one, and what it shares with the others. */
const SEED = 9;
const HISTORY = 40;
const FACTORY_ABI = parseAbi(['function feeAmountTickSpacing(uint24 fee) view returns (int24)']);

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

/** The hash that a manifest states: of the code with the immutables' bytes zero. */
function hashWithout(code: Hex, immutables: ExpectedCode['immutables']): string {
  const bytes = Buffer.from(code.slice(2), 'hex');
  for (const [offset, length] of immutables) bytes.fill(0, offset, offset + length);
  return keccak256(bytes).slice(2);
}

describe.each(SLUGS)('the local chain of %s', (slug) => {
  let world: LocalWorld;

  beforeAll(async () => {
    world = await LocalWorld.start(slug, SEED, HISTORY);
  });

  afterAll(() => world.close(), 60_000);

  test('stands where the chain specification says, under its id', async () => {
    const { chain, spec, market, sites, v2Venue, v3Venue } = world;
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
    const known = new Map(spec.stables.map((ref) => [`0x${ref.token}`, ref]));
    for (const { address, symbol, decimals } of dollars) {
      expect(known.get(address as string)).toMatchObject({ symbol, decimals });
    }
    expect(dollars.map(({ address }) => address)).toContain(world.stable);
    const raw = await world.call(world.coin, '0x95d89b41');
    expect(Buffer.from(raw.slice(130), 'hex').toString().replace(/\0/g, '')).toBe(spec.wrappedNative.symbol);
  });

  test('getters point at the factory and the wrapped coin, and the tiers are enabled', async () => {
    const { spec, sites, v2Venue, v3Venue } = world;
    const pointed = async (getter: string, at: string) =>
      (await world.read(getter, `0x${at}`)).toString(16).padStart(40, '0');
    for (const { contracts, factory } of [v2Venue, v3Venue]) {
      const { router, routerFactoryGetter, routerWrappedNativeGetter, quoter } = contracts!;
      expect(await pointed(routerFactoryGetter, router)).toBe(factory);
      expect(await pointed(routerWrappedNativeGetter, router)).toBe(spec.wrappedNative.token);
      if (quoter) {
        expect(await pointed(quoter.factoryGetter, quoter.address)).toBe(factory);
        expect(await pointed(quoter.wrappedNativeGetter, quoter.address)).toBe(spec.wrappedNative.token);
      }
      for (const fee of contracts?.feeTiers ?? []) {
        const data = encodeFunctionData({ abi: FACTORY_ABI, functionName: 'feeAmountTickSpacing', args: [fee] });
        expect(Number(await world.call(sites.v3Factory, data))).toBe(sites.tickSpacings[fee]);
      }
    }
  });

  test('pins are the code that stands, and where a manifest names a package it is that package’s code', async () => {
    const { chain, spec } = world;
    const codes = new Map<string, Hex>();
    for (const [address, hash] of chain.codePins) {
      const code = await chain.rpc.call<Hex>('eth_getCode', [`0x${address}`, 'latest']);
      codes.set(address, code);
      expect(code.length).toBeGreaterThan(2_000);
      expect(keccak256(code).slice(2)).toBe(hash);
    }
    expect(codes.size).toBe(6);
    let stated = 0;
    for (const { factory, contracts } of routedVenues(spec)) {
      const { router, quoter, code } = contracts!;
      const places = { factory, router, quoter: quoter?.address, wrappedNative: spec.wrappedNative.token };
      for (const [role, address] of Object.entries(places)) {
        const expected = code[role as keyof typeof code];
        // What no package carries is on the real chain alone.
        if (!expected?.source.startsWith('@') || address === undefined) continue;
        expect([role, hashWithout(codes.get(address) as Hex, expected.immutables)]).toEqual([role, expected.hash]);
        stated++;
      }
    }
    expect(stated).toBeGreaterThan(0);
  });

  test('the market has what routes are tried on', () => {
    const { chain, market, coin, stable } = world;
    expect(chain.pools.some(({ version, fee }) => version === 'v3' && fee === 100)).toBe(true);
    for (const [a, b] of [
      [coin, stable],
      [world.planned('TaxedToken'), coin],
    ] as const) {
      for (const version of ['v2', 'v3'] as const) expect(world.poolOf(version, a, b)).toBeDefined();
    }
    const tradable = chain.tokens.filter(({ gated }) => !gated).map(({ address }) => address);
    for (const version of ['v2', 'v3'] as const) {
      const far = tradable.flatMap((a) => tradable.map((b) => hopsBetween(chain.pools, version, a, b)));
      expect([version, far.includes(3)]).toEqual([version, true]);
    }
    expect(market.tokens.map(({ contract }) => contract)).toEqual(
      expect.arrayContaining(['NoReturnToken', 'Bytes32Token', 'TaxedToken', 'GatedToken']),
    );
  });

  test('every block holds, and traders use both routers, seldom fail and leave alone what they should', async () => {
    const { chain, sites, wallet } = world;
    const { blocks, receipts } = await readAll(chain.rpc);
    const left = new Set(chain.pools.filter(({ weight }) => weight === 0).map(({ address }) => address));
    expect(left.size).toBeGreaterThan(0);
    const counted = new Map<string, number>();
    let [sent, failed] = [0, 0];
    blocks.forEach((block, height) => {
      const own = receipts[height] ?? [];
      expect(`0x${headerHash(block)}`).toBe(block.hash);
      expect(`0x${receiptsRoot(own)}`).toBe(block.receiptsRoot);
      expect(`0x${logsBloom(own.flatMap(({ logs }) => logs))}`).toBe(block.logsBloom);
      own.forEach(({ status, from, logs }, index) => {
        if (from === chain.deployer || from === wallet.address) return;
        const to = block.transactions[index]?.to ?? '';
        counted.set(to, (counted.get(to) ?? 0) + 1);
        sent++;
        if (status !== '0x1') failed++;
        expect(logs.some(({ address }) => left.has(address))).toBe(false);
      });
    });
    expect(counted.get(sites.v2Router)).toBeGreaterThan(10);
    expect(counted.get(sites.v3Router)).toBeGreaterThan(10);
    expect(failed).toBeLessThan(sent / 10);
  });

  test('a signed transaction outlives a reorg under its hash; a restart resumes the chain with its pins', async () => {
    const { chain, wallet, dataDir, spec } = world;
    const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
    const { transactionHash } = await wallet.run(world.coin, deposit, 5n);
    await chain.mine();
    const before = await chain.rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await chain.reorg(4);
    expect(await chain.rpc.call('eth_getBlockByHash', [before.hash, false])).toBeNull();
    expect(await chain.rpc.call('eth_getTransactionReceipt', [transactionHash])).toMatchObject({ status: '0x1' });

    const { genesisHash, codePins, pools } = chain;
    const head = await chain.rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await chain.stop();
    const another = slug === 'eth' ? 'base' : 'eth';
    await expect(startLocalChain({ chain: another, dataDir, autoMine: false })).rejects.toThrow(`id ${spec.chainId}`);
    // Twice: once with the pins of the record, once with a record of a time that knew none.
    for (let round = 0; round < 2; round++) {
      world.chain = await startLocalChain({ chain: slug, dataDir, autoMine: false });
      expect(world.chain.resumed).toBe(true);
      expect(world.chain.genesisHash).toBe(genesisHash);
      expect(world.chain.codePins).toEqual(codePins);
      expect(world.chain.pools).toEqual(pools);
      expect(await world.chain.rpc.call('eth_getBlockByHash', [head.hash, false])).not.toBeNull();
      await world.chain.mine();
      if (round > 0) continue;
      await world.chain.stop();
      const path = join(dataDir, 'chain.json');
      const { codePins: _, ...older } = JSON.parse(await readFile(path, 'utf8'));
      await writeFile(path, JSON.stringify(older));
    }
  });
});
