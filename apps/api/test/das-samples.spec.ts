import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type DasApiInterface, dasApi } from '@metaplex-foundation/digital-asset-standard-api';
import { publicKey } from '@metaplex-foundation/umi';
import { createUmi } from '@metaplex-foundation/umi-bundle-defaults';
import { createHelius } from 'helius-sdk';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { TOKEN_2022_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { jsonText } from '#libs/core/exact-json.js';
import { NOTHING_ABOUT } from '#libs/serve/reader/token-about.js';
import { assetOf } from '../src/gateway/das/asset.js';
import type { AssetState } from '../src/gateway/das/asset-state.js';
import { LocalMethods } from '../src/gateway/local-methods.js';
import { GatewayHarness } from './gateway-harness.js';

/**
 * Recorded answers of the reference implementation of DAS (fixtures/README.md). Of fungible tokens ours say the same of the
 * same data, field by field; what is not indexed is named here. The clients read all of them through the gateway.
 */
// biome-ignore lint/suspicious/noExplicitAny: answers are compared field by field
type Recorded = any;

const samples: { name: string; response: Recorded }[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'apps/api/test/fixtures/das-responses.json.gz'))).toString('utf8'),
);
const sol = chainSpec('sol')!;

/** By field, why an asset here has none or another one. */
const NOT_INDEXED: Readonly<Record<string, string>> = {
  royalty: 'what a sale pays to creators is in no account that is read',
  mint_extensions: 'of the extensions of a mint the log has the names and what INDEXED names, no more',
};

/** What is shown of what is in the extensions of a mint. */
const INDEXED = [
  ...['mint', 'name', 'symbol', 'uri', 'update_authority'].map((field) => `mint_extensions.metadata.${field}`),
  'mint_extensions.transfer_fee_config.newer_transfer_fee.transfer_fee_basis_points',
];

const fungible = samples
  .flatMap(({ name, response }): { name: string; asset: Recorded }[] => {
    const assets = Array.isArray(response) ? response : (response.items ?? [response]);
    return assets.map((asset: Recorded) => ({ name, asset }));
  })
  .filter(({ asset }) => asset?.interface === 'FungibleToken');

/** The name that nodes, and so the log, have for an extension. */
const nodeName = (name: string): string =>
  name === 'metadata' ? 'tokenMetadata' : name.replace(/_./g, (start) => start[1]!.toUpperCase());

/** The asset as this program shows what the sample says of the chain. */
function shown({ id, content, authorities, mutable, mint_extensions, token_info = {} }: Recorded): Recorded {
  const known = (address: string | undefined): string => (address === undefined ? '' : sol.ids.parseAddress(address)!);
  const token = known(id);
  const authority = authorities[0] === undefined ? null : known(authorities[0].address);
  const { name = null, symbol = null } = content?.metadata ?? {};
  const { decimals = null, mint_authority, freeze_authority } = token_info;
  const supply = token_info.supply === undefined ? null : BigInt(token_info.supply);
  const rights = {
    ...{ token, mintKnown: 1, mint: known(mint_authority), freezeKnown: 1, freeze: known(freeze_authority) },
    ...{ metadataKnown: 1, metadata: '', feeKnown: 1, transferFeeBps: 0 },
  };
  if (mutable) rights.metadata = authority ?? token;
  if (mint_extensions?.metadata) rights.metadata = known(mint_extensions.metadata.update_authority);
  const { transfer_fee_config: fee } = mint_extensions ?? {};
  if (fee !== undefined) rights.transferFeeBps = fee.newer_transfer_fee.transfer_fee_basis_points;
  const later = mint_extensions !== undefined || token_info.token_program === TOKEN_2022_PROGRAM;
  const standard = {
    ...{ token, standard: later ? 'token-2022' : 'token' },
    extensions: Object.keys(mint_extensions ?? {})
      .map(nodeName)
      .sort()
      .join(),
  };
  const state: AssetState = {
    ...{ token, priceUsd: null, supply, creator: authority, rights, standard },
    record: { token, decimals, totalSupply: supply, name, symbol },
    about: { ...NOTHING_ABOUT, uri: content?.json_uri || null },
  };
  return JSON.parse(jsonText(assetOf(sol, state)));
}

/** Fields of an object and what is in them, lists whole. */
function* leaves(value: Recorded, path: readonly string[] = []): Generator<[path: string, value: unknown]> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || Object.keys(value).length === 0) yield [path.join('.'), value];
  else for (const [name, inner] of Object.entries(value)) yield* leaves(inner, [...path, name]);
}

it('fungible assets say what the recorded ones say, field by field', () => {
  const names = new Set(fungible.map(({ name }) => name));
  expect(names).toContain('search_asset_with_token_type_fungible');
  expect([...names].filter((name) => /^(fungible_token|token_extensions)_get_asset_/.test(name))).toHaveLength(5);
  const [missing, extended] = [new Set<string>(), new Set<string>()];
  for (const { name, asset } of fungible) {
    const made = shown(asset);
    const ours = new Map(leaves(made));
    let compared = 0;
    for (const [path, value] of leaves(asset)) {
      const left = Object.keys(NOT_INDEXED).find((field) => path === field || path.startsWith(`${field}.`));
      if (left !== undefined && !INDEXED.includes(path)) {
        missing.add(left);
        expect([name, path, ours.get(path)]).toEqual([name, path, undefined]);
        continue;
      }
      if (INDEXED.includes(path)) extended.add(path);
      // An authority is taken to be the creator here, and so is one.
      const expected = path === 'creators' && asset.authorities.length > 0 ? expect.any(Array) : value;
      expect([name, path, ours.get(path)]).toEqual([name, path, expected]);
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(20);
    // Of the extensions all are named, and nothing is said that the recorded one does not say.
    const own = Object.keys(made.mint_extensions ?? {}).sort();
    expect([name, own]).toEqual([name, Object.keys(asset.mint_extensions ?? {}).sort()]);
    expect(asset.mint_extensions ?? {}).toMatchObject(made.mint_extensions ?? {});
    if (own.includes('metadata')) expect(made.content.metadata).toEqual(asset.content.metadata);
  }
  expect(fungible.filter(({ asset }) => asset.token_info?.mint_authority !== undefined).length).toBeGreaterThan(0);
  expect([...missing].sort()).toEqual(Object.keys(NOT_INDEXED).sort());
  expect([...extended].sort()).toEqual([...INDEXED].sort());
});

it('the clients of Helius and Metaplex read every recorded answer', async () => {
  let said: Recorded = null;
  const methods = ['getAsset', 'getAssets', 'getAssetBatch', 'searchAssets', 'getTokenAccounts', 'getNftEditions'];
  const answer = async (): Promise<string> => JSON.stringify(said);
  const local = new LocalMethods(new Map(methods.map((method) => [method, answer])));
  const gateway = await GatewayHarness.start({ sol: [] }, {}, local);
  try {
    const helius = createHelius({ apiKey: gateway.key, baseUrl: `${gateway.url}/` });
    const umi = createUmi(`${gateway.url}/?api-key=${gateway.key}`).use(dasApi());
    const metaplex = umi.rpc as unknown as DasApiInterface;
    const owner = 'So11111111111111111111111111111111111111112';
    const seen = { assets: 0, batches: 0, lists: 0, others: 0 };
    for (const { name, response } of samples) {
      said = response;
      const same = (read: unknown): void => expect([name, read]).toEqual([name, response]);
      if (Array.isArray(response)) {
        const ids = response.map(() => owner);
        same(await helius.getAssetBatch({ ids }));
        same(await metaplex.getAssets(ids.map((id) => publicKey(id))));
        seen.batches++;
      } else if (response.interface !== undefined) {
        same(await helius.getAsset({ id: response.id }));
        same(await metaplex.getAsset(publicKey(response.id)));
        seen.assets++;
      } else if (response.items !== undefined) {
        same(await helius.searchAssets({ ownerAddress: owner, page: 1 }));
        same(await metaplex.searchAssets({ owner: publicKey(owner) }));
        seen.lists++;
      } else {
        const editions = response.editions !== undefined;
        same(await (editions ? helius.getNftEditions({ mint: owner }) : helius.getTokenAccounts({ owner })));
        seen.others++;
      }
    }
    expect(Object.values(seen).reduce((sum, count) => sum + count, 0)).toBe(98);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  } finally {
    await gateway.close();
  }
});
