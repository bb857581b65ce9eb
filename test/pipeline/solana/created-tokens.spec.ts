import { formatUnits } from 'viem';
import { SolanaVenues } from '#apps/router/src/solana/venues/solana-venues.js';
import { LaunchWorld } from '#apps/router/test/launch/launch-world.js';
import { signedCreate } from '#apps/router/test/launch/signed-create.js';
import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { scaled, testSeed, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { BoardAnswer } from '#libs/serve/contract/rest/launchpad-body.js';
import type { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
import type { SolVenuesAnswer } from '#libs/serve/contract/rest/solana/venue-body.js';
import { idOf, readCurve } from '#programs/client.js';
import { type CreatedToken, expectAbsent, expectServed } from '../created-token.js';
import { NamedLaunchpads } from '../named-launchpads.js';
import { BusyMarket } from './busy-market.js';
import { accountData, ask, CONFIRMED } from './chain-truth.js';
import { SolanaPipeline } from './solana-pipeline.js';

/**
 * Tokens that a router built on our launchpad of a local Solana chain, signed and sent: token page, board, search, curve and
 * first trade of the api agree with the chain. Launchpads and venues have one name each on all routes.
 */
const LIMIT_MS = 400_000;
const SOL = 1_000_000_000n;
const [TOKEN_DECIMALS, COIN_DECIMALS] = [6, 9];

let market: BusyMarket;
let router: LaunchWorld;
let pipeline: SolanaPipeline;
let named: NamedLaunchpads;

beforeAll(async () => {
  const seed = testSeed();
  market = await BusyMarket.start(seed, 40);
  const chain = {
    spec: sol,
    isListed: true,
    venues: new SolanaVenues(sol),
    services: null,
    absence: 'no node',
    demoRpcUrl: null,
  };
  const launch = { localNodes: new Map([['sol', market.rpcUrl]]), limits: { take: () => 0 } };
  router = await LaunchWorld.start(launch, { solana: chain });
  pipeline = await SolanaPipeline.open(market, seed);
  await pipeline.quiet();
  named = await NamedLaunchpads.follow(pipeline.client, 'sol');
}, LIMIT_MS);

afterAll(async () => {
  named?.close();
  await pipeline?.close();
  await router?.close();
  await market?.stop();
}, LIMIT_MS);

/** Lists may be those of a moment ago. */
async function listsAtHead(): Promise<boolean> {
  const { meta } = await pipeline.client.get<BoardAnswer>('/launchpad/new');
  return meta.chains.sol?.blockHash === (await pipeline.client.chain('sol')).head?.blockHash;
}

interface Made {
  readonly built: LaunchCreated;
  readonly creator: SeededKey;
  readonly fields: { readonly name: string; readonly symbol: string };
  readonly signature: string;
}

function funded(name: string): SeededKey {
  const creator = new SeededKey(name);
  market.runner.fund(creator.address, { lamports: 200n * SOL });
  // What a node answers is confirmed a block later.
  market.runner.slot({ traders: false });
  return creator;
}

async function created(creator: SeededKey, fields: object): Promise<LaunchCreated> {
  const reply = await router.post('/launch/sol', {
    ...{ platform: 'tidepool', creator: creator.address, ...fields, image: router.sampleImage },
    rpcUrl: market.rpcUrl,
  });
  expect([reply.status, reply.body.error]).toEqual([200, null]);
  return reply.body.data;
}

async function truthOf({ built, creator, fields, signature }: Made): Promise<CreatedToken> {
  const sent = { ...CONFIRMED, encoding: 'json', maxSupportedTransactionVersion: 1 };
  const { slot, blockTime } = await ask<{ slot: number; blockTime: number }>(
    ...([market.rpcUrl, 'getTransaction', signature, sent] as const),
  );
  const curve = readCurve(idOf(built.curve), (await accountData(market.rpcUrl, built.curve))!)!;
  const { virtualQuote, virtualBase, realQuote, remaining, forSale, fees } = curve;
  const isBought = built.buy !== null;
  return {
    ...{ chain: 'sol', platform: 'tidepool', address: built.address, curve: built.curve, dex: 'Tidepool Launchpad' },
    ...{ ...fields, creator: creator.address, createdAt: 1_000 * blockTime },
    progressPercent: Number(((forSale - remaining) * 1_000_000n) / forSale) / 10_000,
    ...{ hasPool: isBought, setsPrice: isBought },
    reserves: isBought
      ? { token: formatUnits(remaining, TOKEN_DECIMALS), coin: formatUnits(realQuote, COIN_DECIMALS) }
      : null,
    // A curve says its price with each trade.
    price: isBought ? (Number(virtualQuote) / Number(virtualBase)) * 10 ** (TOKEN_DECIMALS - COIN_DECIMALS) : null,
    bought: isBought
      ? {
          ...{ signature, block: slot, tokenAmount: formatUnits(forSale - remaining, TOKEN_DECIMALS) },
          quoteAmount: formatUnits(realQuote + fees, COIN_DECIMALS),
        }
      : null,
  };
}

it(
  'created on our launchpad are served as the chain has them',
  async () => {
    await withSeed('created on sol', async (random) => {
      const made: Made[] = [];
      const creates = scaled(40, 4);
      for (let n = 0; n < creates; n++) {
        const creator = funded(`creator ${n}`);
        const fields = { name: `Drift ${n}`, symbol: `DR${n}` };
        // The first is bought and the second is not; the others come by chance.
        const buys = n === 0 || (n > 1 && random.chance(0.6));
        const initialBuy = buys ? BigInt(1 + random.below(30)) * SOL + BigInt(random.below(2 ** 30)) : 0n;
        const built = await created(creator, { ...fields, initialBuy: String(initialBuy) });
        const signature = market.runner.chain.send(signedCreate(built, [creator]));
        market.runner.slot({ traders: false });
        expect(market.runner.chain.resultOf(signature)).toBeNull();
        made.push({ built, creator, fields, signature });
      }
      const unsigned = await created(funded('who does not sign'), { name: 'Drift', symbol: 'DR' });
      market.runner.slot({ traders: false });
      await pipeline.quiet();
      await until('lists are of the served block', listsAtHead);
      await expectAbsent(pipeline.client, { ...unsigned, creator: unsigned.signers[0]!.address });
      for (const each of made) {
        const row = await expectServed(pipeline.client, await truthOf(each));
        named.saw('board', row);
      }
      await named.sawLive(made.map(({ built }) => built.address));
      expect(pipeline.errors).toEqual([]);
    });
  },
  LIMIT_MS,
);

it(
  'have launchpads of one list on every route and on the channel',
  async () => {
    await named.collect();
    for (const path of ['/launch', '/launch/sol']) {
      const { data } = (await router.get(path)).body;
      for (const { platforms, unwired } of data.chains ?? [data]) named.name(path, [...platforms, ...unwired]);
    }
    named.expectOneList(['tidepool'], ['/launch', '/launch/sol']);
  },
  LIMIT_MS,
);

it(
  'have the venues of the router’s list in their trades',
  async () => {
    const { body } = await router.get('/venues');
    const listed = new Set((body as SolVenuesAnswer).venues.map(({ dex }) => dex));
    const met = new Set<string>();
    for (const { data } of await pipeline.client.pages<SearchAnswer>('/screener?chain=sol&limit=200')) {
      for (const { address } of data) {
        for (const { dex } of await pipeline.client.trades(address, 'sol')) met.add(dex);
      }
    }
    expect([...met].sort()).toEqual(['Tidepool AMM', 'Tidepool Launchpad']);
    expect([...met].filter((dex) => !listed.has(dex))).toEqual([]);
  },
  LIMIT_MS,
);
