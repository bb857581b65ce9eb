import { decodeEventLog, formatUnits, type Hex, parseAbi, toEventSelector } from 'viem';
import { clankerSites, openClanker } from '#apps/router/test/launch/clanker-world.js';
import { COIN, type Creator, EvmCreators, type Receipt } from '#apps/router/test/launch/evm-creators.js';
import { LaunchWorld } from '#apps/router/test/launch/launch-world.js';
import { base } from '#libs/chain/catalogue/test/chain-specs.js';
import { FOR_SALE } from '#libs/chain/launchpads/tidepool-evm/test/curve.js';
import { CURVE_ABI } from '#libs/devkit/devnet/evm/launchpad/contracts.js';
import { LocalWorld } from '#libs/devkit/devnet/evm/test/local-world.js';
import { scaled, testSeed, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { EvmVenuesAnswer } from '#libs/serve/contract/rest/evm/venue-body.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import { type CreatedToken, expectAbsent, expectServed } from './created-token.js';
import { EvmPipeline } from './evm-pipeline.js';
import { NamedLaunchpads } from './named-launchpads.js';

/**
 * Tokens that a router built on Base, where Clanker's own contracts are next to our launchpad, signed and mined: token page,
 * board, search, curve and first trade of the api agree with the chain. Launchpads and venues have one name each on all routes.
 */
const LIMIT_MS = 400_000;
const DECIMALS = 18;
const MANAGER_ABI = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
]);
const [INITIALIZE, SWAP] = MANAGER_ABI.map((event) => toEventSelector(event)) as [Hex, Hex];

let local: LocalWorld;
let router: LaunchWorld;
let pipeline: EvmPipeline;
let named: NamedLaunchpads;

beforeAll(async () => {
  local = await LocalWorld.start('base', testSeed(), 12);
  await openClanker(local.chain);
  const chains = [{ spec: base, services: null, absence: 'no node' }];
  const launch = { localNodes: new Map([['base', local.chain.rpcUrl]]), limits: { take: () => 0 } };
  router = await LaunchWorld.start(launch, { chains });
  pipeline = await EvmPipeline.open(base, local.chain);
  await pipeline.caughtUp();
  named = await NamedLaunchpads.follow(pipeline.client, 'base');
}, LIMIT_MS);

afterAll(async () => {
  named?.close();
  await pipeline?.close();
  await router?.close();
  await local?.close();
}, LIMIT_MS);

interface Made {
  readonly built: LaunchCreated;
  readonly creator: Creator;
  readonly fields: { readonly name: string; readonly symbol: string };
  readonly receipt: Receipt;
}

/** What is the same on every launchpad. */
async function placeOf({ built, creator, fields, receipt }: Made) {
  const block = await local.chain.rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', [receipt.blockNumber, false]);
  return {
    ...{ chain: 'base', platform: built.platform, address: built.address, curve: built.curve, ...fields },
    ...{ creator: creator.address.toLowerCase(), createdAt: 1_000 * Number(block.timestamp) },
  };
}

const boughtAs = ({ transactionHash, blockNumber }: Receipt, tokens: bigint, coins: bigint) => ({
  ...{ signature: transactionHash, block: Number(blockNumber) },
  ...{ tokenAmount: formatUnits(tokens, DECIMALS), quoteAmount: formatUnits(coins, DECIMALS) },
});

/** A token of our launchpad: its curve is asked for what it holds. */
async function onCurve(on: EvmCreators, made: Made): Promise<CreatedToken> {
  const { built, creator, receipt } = made;
  const names = ['remaining', 'raised', 'virtualCoin', 'virtualTokens'] as const;
  const values = await Promise.all(names.map((name) => on.view(CURVE_ABI, built.curve, name)));
  const [remaining, raised, virtualCoin, virtualTokens] = values as [bigint, bigint, bigint, bigint];
  const held = await local.balance(built.address, creator.address);
  return {
    ...(await placeOf(made)),
    ...{ dex: 'Tidepool Launchpad', hasPool: true, setsPrice: built.buy !== null },
    progressPercent: Number(((FOR_SALE - remaining) * 1_000_000n) / FOR_SALE) / 10_000,
    reserves: { token: formatUnits(remaining, DECIMALS), coin: formatUnits(raised, DECIMALS) },
    // A curve says its price with each trade.
    price: built.buy === null ? null : Number(virtualCoin) / Number(virtualTokens),
    bought: built.buy === null ? null : boughtAs(receipt, held, BigInt(built.buy.inAmount)),
  };
}

/** A token of Clanker: its pool is read from what Uniswap's manager said in the transaction. */
async function inPool(_: EvmCreators, made: Made): Promise<CreatedToken> {
  const { built, creator, receipt } = made;
  const said = receipt.logs
    .filter(({ address, topics }) => address === clankerSites.poolManager && topics[1] === built.curve)
    .filter(({ topics }) => topics[0] === INITIALIZE || topics[0] === SWAP)
    .map(({ topics, data }) => decodeEventLog({ abi: MANAGER_ABI, data, topics: topics as [Hex, ...Hex[]] }));
  const [opened, swap, ...more] = said;
  expect([opened?.eventName, more]).toEqual(['Initialize', []]);
  expect(swap === undefined).toBe(built.buy === null);
  const isFirst = built.address < clankerSites.wrapped;
  const root = Number((swap ?? opened)!.args.sqrtPriceX96) / 2 ** 96;
  let bought: CreatedToken['bought'] = null;
  if (swap?.eventName === 'Swap') {
    const { amount0, amount1 } = swap.args;
    const [tokens, coins] = isFirst ? [amount0, -amount1] : [amount1, -amount0];
    expect(await local.balance(built.address, creator.address)).toBe(tokens);
    bought = boughtAs(receipt, tokens, coins);
  }
  return {
    ...(await placeOf(made)),
    // Its hook may change amounts, and its code is not a pinned one.
    ...{ hasPool: true, setsPrice: false },
    ...{ dex: 'Uniswap V4', progressPercent: 0, reserves: null, price: isFirst ? root ** 2 : root ** -2, bought },
  };
}

const launchpads = { tidepool: onCurve, clanker: inPool };

it.each(Object.entries(launchpads))(
  'created on %s are served as the chain has them',
  async (platform, truthOf) => {
    await withSeed(`created on ${platform}`, async (random) => {
      const on = new EvmCreators(local, router, 'base', platform);
      const made: Made[] = [];
      const creates = scaled(40, 4);
      for (let n = 0; n < creates; n++) {
        const creator = await on.funded(10n * COIN);
        const fields = { name: `Drift ${n}`, symbol: `DR${n}` };
        // The first is bought and the second is not; the others come by chance.
        const buys = n === 0 || (n > 1 && random.chance(0.6));
        const initialBuy = buys ? COIN / 1_000n + (BigInt(random.below(2 ** 30)) * COIN) / 2n ** 30n : 0n;
        const built = await on.created(on.asked(creator, { ...fields, initialBuy: String(initialBuy) }));
        const receipt = await on.send(creator, built.transactions[0]!);
        expect(receipt.status).toBe('0x1');
        made.push({ built, creator, fields, receipt });
        if (random.chance(0.3)) await local.chain.mine({ traders: false });
      }
      const unsigned = await on.created(on.asked(await on.funded(COIN)));
      await local.chain.mine({ traders: false });
      await pipeline.caughtUp();
      await expectAbsent(pipeline.client, { ...unsigned, creator: unsigned.signers[0]!.address });
      for (const each of made) {
        const row = await expectServed(pipeline.client, await truthOf(on, each));
        named.saw('board', row);
      }
      await named.sawLive(made.map(({ built }) => built.address));
      expect(pipeline.errors).toEqual([]);
    });
  },
  LIMIT_MS,
);

it('have launchpads of one list on every route and on the channel', async () => {
  await named.collect();
  for (const path of ['/launch', '/launch/base']) {
    const { data } = (await router.get(path)).body;
    for (const { platforms, unwired } of data.chains ?? [data]) named.name(path, [...platforms, ...unwired]);
  }
  named.expectOneList(Object.keys(launchpads), ['/launch', '/launch/base']);
});

it(
  'have the venues of the router’s list in their trades',
  async () => {
    const { body } = await router.get('/evm/venues');
    const listed = new Set((body as EvmVenuesAnswer).venues.map(({ dex }) => dex));
    // The router trades on some of the venues that are indexed.
    const further = base.venues.filter(({ contracts }) => contracts === null).map(({ label }) => label);
    const venues = new Map<string, Set<string>>();
    for (const { address } of local.chain.tokens) {
      for (const { pool, dex } of await pipeline.client.trades(address, 'base')) {
        venues.set(pool, (venues.get(pool) ?? new Set()).add(dex));
      }
    }
    const labels = new Map(base.venues.map(({ venue, label }) => [venue, label]));
    let routed = 0;
    for (const { address, version } of local.chain.pools) {
      const met = venues.get(address);
      if (met === undefined) continue;
      const { venue } = version === 'v2' ? local.v2Venue : local.v3Venue;
      expect([...met]).toEqual([labels.get(venue)]);
      expect(listed).toContain(labels.get(venue));
      routed++;
    }
    expect(routed).toBeGreaterThan(1);
    const all = [...venues.values()].flatMap((names) => [...names]);
    expect(all.filter((dex) => !listed.has(dex) && !further.includes(dex))).toEqual([]);
  },
  LIMIT_MS,
);
