import { type DasApiInterface, dasApi } from '@metaplex-foundation/digital-asset-standard-api';
import { publicKey } from '@metaplex-foundation/umi';
import { createUmi } from '@metaplex-foundation/umi-bundle-defaults';
import { createHelius } from 'helius-sdk';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith, recordedOf } from '#libs/devkit/testing/market/market-with.js';
import { naiveLaunches } from '#libs/pipeline/projections/launches/test/oracle.js';
import type { ApiHarness } from './api-harness.js';
import { type Asset, type DasList, ownedOf, shownOwned, startDas } from './das-harness.js';
import type { GatewayHarness } from './gateway-harness.js';

/**
 * The clients of Helius and Metaplex, unchanged, over the gateway: every method that they offer and the gateway has. What
 * they give is the gateway's answer, whose content das.spec compares with the routes of the market-data API.
 */
const [seed] = seeds(1);
const market = marketWith(seed!, { family: 'solana', groups: 110, deepest: 20 }, (naive, history) => {
  const launches = naiveLaunches(naive.blocks, recordedOf(naive, history), history.reference);
  return launches.some(({ creator }) => creator !== '') && naive.tokens().some(({ symbol }) => Boolean(symbol));
});
const { slug } = market.chain;

let harness: ApiHarness;
let gateway: GatewayHarness;
let tokens: { address: string; symbol: string; creator: string | null }[];
let helius: ReturnType<typeof createHelius>;
let metaplex: DasApiInterface;

beforeAll(async () => {
  ({ harness, gateway } = await startDas(market));
  await harness.advance(market.facts.length - 1, Math.floor(market.facts.length / 2));
  tokens = await data(`/screener?chain=${slug}&limit=200`);
  helius = createHelius({ apiKey: gateway.key, baseUrl: `${gateway.url}/` });
  const umi = createUmi(`${gateway.url}/?api-key=${gateway.key}`).use(dasApi());
  metaplex = umi.rpc as unknown as DasApiInterface;
});
afterAll(async () => {
  expect([...harness.problems, ...gateway.logged]).toEqual([]);
  await gateway.close();
  await harness.close();
});

const data = async (path: string) => (await harness.get(path)).body.data;

/** The gateway's own answer. */
async function said<T = DasList>(method: string, params: object): Promise<T> {
  const { result, error } = await gateway.call('/', method, params);
  expect({ method, params, error }).toEqual({ method, params, error: undefined });
  return result as T;
}

const byId = (assets: readonly Asset[]): Asset[] => [...assets].sort((a, b) => (a.id < b.id ? -1 : 1));

it('shows tokens, one and many', async () => {
  const ids = tokens.slice(0, 10).map(({ address }) => address);
  expect(ids.length).toBeGreaterThan(3);
  const assets: Asset[] = [];
  for (const id of ids) {
    const asset = await said<Asset>('getAsset', { id });
    expect(asset.id).toBe(id);
    expect(await helius.getAsset({ id, options: { showFungible: true } })).toEqual(asset);
    expect(await metaplex.getAsset(publicKey(id))).toEqual(asset);
    assets.push(asset);
  }
  expect(await helius.getAssetBatch({ ids })).toEqual(assets);
  expect(await metaplex.getAssets(ids.map((id) => publicKey(id)))).toEqual(assets);
});

it('lists what a wallet holds, over pages', async () => {
  const [holder] = (
    await Promise.all(tokens.map(({ address }) => data(`/tokens/${slug}/${address}/holders?limit=1`)))
  ).flat() as { address: string }[];
  const ownerAddress = holder!.address;
  const held = await data(`/wallets/${slug}/${ownerAddress}/holdings?limit=200`);
  const all = await said('getAssetsByOwner', { ownerAddress });
  expect(shownOwned(all.items)).toEqual(await ownedOf(data, slug, ownerAddress, held));
  expect(all.items.length).toBeGreaterThan(0);
  expect(await helius.getAssetsByOwner({ ownerAddress, page: 1, limit: 100 })).toEqual(all);
  const owner = publicKey(ownerAddress);
  for (const sortBy of ['created', 'updated', 'recent_action', 'id', 'none'] as const) {
    for (const sortDirection of ['asc', 'desc'] as const) {
      const sorting = { sortBy, sortDirection } as const;
      const sorted = await said('getAssetsByOwner', { ownerAddress, sortBy: sorting });
      expect(byId(sorted.items)).toEqual(byId(all.items));
      const asked = { ownerAddress, page: 1, limit: 100, sortBy: sorting as never };
      expect(await helius.getAssetsByOwner(asked)).toEqual(sorted);
      expect(await metaplex.getAssetsByOwner({ owner, sortBy: sorting })).toEqual(sorted);
    }
  }
  expect(await metaplex.getAssetsByOwner({ owner, displayOptions: { showFungible: true } })).toEqual(all);
  const walked: unknown[] = [];
  for (let page = 1; page <= all.total; page++) {
    walked.push(...(await metaplex.getAssetsByOwner({ owner, limit: 1, page })).items);
  }
  expect(walked).toEqual(all.items);
});

it('lists what a wallet created, by every name of it', async () => {
  const { creator: created } = tokens.find(({ creator }) => creator !== null)!;
  const creatorAddress = created!;
  const all = await said('getAssetsByCreator', { creatorAddress });
  expect(all.items.length).toBeGreaterThan(0);
  const page = { page: 1, limit: 100 };
  expect(await helius.getAssetsByCreator({ creatorAddress, onlyVerified: true, ...page })).toEqual(all);
  expect(await helius.getAssetsByAuthority({ authorityAddress: creatorAddress, ...page })).toEqual(all);
  const group = { groupKey: 'collection', groupValue: creatorAddress } as const;
  expect(await helius.getAssetsByGroup({ ...group, ...page })).toEqual(all);
  expect(await helius.searchAssets({ creatorAddress, tokenType: 'fungible', ...page })).toEqual(all);
  const creator = publicKey(creatorAddress);
  expect(await metaplex.getAssetsByCreator({ creator, onlyVerified: false })).toEqual(all);
  expect(await metaplex.getAssetsByAuthority({ authority: creator })).toEqual(all);
  expect(await metaplex.getAssetsByGroup(group)).toEqual(all);
  expect(await metaplex.searchAssets({ creator })).toEqual(all);
});

it('finds by name', async () => {
  const { symbol } = tokens.find((token) => Boolean(token.symbol))!;
  const found = await said('searchAssets', { name: symbol });
  expect(found.items.length).toBeGreaterThan(0);
  expect(await helius.searchAssets({ name: symbol } as never)).toEqual(found);
  expect(await metaplex.searchAssets({ name: symbol })).toEqual(found);
});

it('lists the transactions of a token', async () => {
  const id = tokens[0]!.address;
  const all = await said<DasList<[string, string]>>('getAssetSignatures', { id });
  expect(all.items.length).toBeGreaterThan(0);
  expect(await helius.getSignaturesForAsset({ id, page: 1 })).toEqual(all);
  expect(await metaplex.getAssetSignatures({ assetId: publicKey(id) })).toEqual(all);
});

it('says what it does not know and does not have', async () => {
  const id = publicKey(new Uint8Array(32).fill(9));
  // Helius' client gives the gateway's words, Metaplex' its own.
  await expect(helius.getAsset({ id })).rejects.toThrow(/not known/);
  await expect(metaplex.getAsset(id)).rejects.toThrow(/Asset not found/);
  await expect(helius.getAssetProof({ id })).rejects.toThrow(/compressed assets are not indexed/);
  await expect(metaplex.getAssetProof(id)).rejects.toThrow(/No proof found/);
  expect(await helius.getAssetBatch({ ids: [id] })).toEqual([null]);
});
