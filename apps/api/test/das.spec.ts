import { type RandomMarket, seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith, recordedOf } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { naiveBalances } from '#libs/pipeline/projections/balances/test/oracle.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import { LAUNCHED } from '#libs/pipeline/projections/launches/projection.js';
import { naiveLaunches } from '#libs/pipeline/projections/launches/test/oracle.js';
import type { ApiHarness } from './api-harness.js';
import { type Asset, type DasList, ownedOf, shownOwned, startDas, unitsOf } from './das-harness.js';
import type { GatewayHarness } from './gateway-harness.js';

/** Wallets that were asked for what they created. */
let creators = 0;

/** Transactions that the walks of them have to show at least. */
const ENOUGH = 20;

/** Lists of several assets that were asked for in every order. */
let orders = 0;

/**
 * A history in which some of what is traded was launched by a known wallet, has a symbol, a supply, and holders, one of whom holds
 * several tokens.
 */
function marketWithCreators(family: 'evm' | 'solana', first: number): RandomMarket {
  return marketWith(first, { family, groups: 110, deepest: 20 }, (_, market) => {
    const naive = new NaiveMarket(market.chain, market.facts, market.facts.length - 11);
    const launches = naiveLaunches(naive.blocks, recordedOf(naive, market), market.reference);
    const launched = launches.filter(({ creator }) => creator !== '');
    const tokens = naive.tokens();
    const traded = new Set(naive.blocks.flatMap(({ trades }) => trades.map(({ base }) => base)));
    const counted = tokens.filter(({ token, totalSupply, decimals }) => {
      return token !== market.chain.wrappedNative.token && totalSupply !== null && decimals !== null;
    });
    const complete = new Set(
      naiveHolders(naive.blocks).flatMap(({ token, standing }) => (standing === 1 ? [token] : [])),
    );
    const holdings = naiveBalances(naive.blocks).filter(({ token }) => complete.has(token) && traded.has(token));
    const transactions = new Set(naive.blocks.flatMap(({ trades }) => trades.map(({ tx }) => tx)));
    return (
      launched.filter(({ origin, token }) => origin === LAUNCHED && traded.has(token)).length > 1 &&
      tokens.some(({ symbol }) => Boolean(symbol)) &&
      counted.length > 0 &&
      naiveHolders(naive.blocks).some(({ standing, holders }) => standing === 1 && holders > 0) &&
      new Set(holdings.map(({ wallet }) => wallet)).size < holdings.length &&
      transactions.size > 2 * ENOUGH
    );
  });
}

/** DAS compared with what the routes of the market-data API say of the same chain at the same block. */
describe.each(seeds(2).flatMap((seed) => (['solana', 'evm'] as const).map((family) => [family, seed] as const)))(
  'DAS over a chain of %s (seed %i)',
  (family, seed) => {
    const market = marketWithCreators(family, seed);
    const { slug, ids } = market.chain;
    const last = market.facts.length - 1;
    let harness: ApiHarness;
    let gateway: GatewayHarness;

    beforeAll(async () => {
      ({ harness, gateway } = await startDas(market));
      await harness.advance(last - 10, Math.floor(last * 0.6));
    });
    afterAll(async () => {
      expect([...harness.problems, ...gateway.logged]).toEqual([]);
      await gateway.close();
      await harness.close();
    });

    const ask = async <T>(method: string, params: unknown): Promise<T> => {
      const { result, error } = await gateway.call(`/${slug}`, method, params);
      expect({ method, params, error }).toEqual({ method, params, error: undefined });
      return result as T;
    };
    const fails = async (method: string, params: unknown, code: number, words: RegExp | string = ''): Promise<void> => {
      const { error } = await gateway.call(`/${slug}`, method, params);
      expect({ method, params, error }).toEqual({
        ...{ method, params },
        error: { code, message: expect.stringMatching(words) },
      });
    };
    const data = async (path: string) => (await harness.get(path)).body.data;
    const listed = (): Promise<{ address: string; name: string; symbol: string; creator: string | null }[]> =>
      data(`/screener?chain=${slug}&limit=200`);

    it('shows a token as its own route does', async () => {
      const tokens = await listed();
      expect(tokens.length).toBeGreaterThan(3);
      let supplies = 0;
      let prices = 0;
      for (const { address } of tokens.slice(0, 25)) {
        const token = await data(`/tokens/${slug}/${address}`);
        const asset = await ask<Asset>('getAsset', { id: address });
        expect(asset.id).toBe(address);
        expect(asset.content.metadata).toMatchObject({ name: token.name ?? '', symbol: token.symbol ?? '' });
        expect(asset.token_info.decimals ?? null).toBe(token.decimals);
        // Of a right that nothing was said of there is none to show.
        const { mint_authority: mint, freeze_authority: freeze } = asset.token_info;
        const { mintable, freezable } = token.safety;
        expect([mint !== undefined, freeze !== undefined]).toEqual([mintable === true, freezable === true]);
        expect(asset.token_info.price_info?.price_per_token ?? null).toBe(token.priceUsd);
        if (token.supply !== null) {
          const { text } = await gateway.post(
            `/${slug}`,
            JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAsset', params: { id: address } }),
          );
          expect(/"supply":(\d+)/.exec(text)?.[1]).toBe(unitsOf(token.supply, token.decimals).toString());
          supplies++;
        }
        if (token.priceUsd !== null) prices++;
        expect(asset.creators.map(({ address: creator }) => creator)).toEqual(
          token.creator === null ? [] : [token.creator],
        );
        expect(await ask('getAsset', [address])).toEqual(asset);
      }
      expect(Math.min(supplies, prices)).toBeGreaterThan(0);
      const wanted = tokens.map(({ address }) => address);
      const unknown = ids.formatAddress((family === 'evm' ? 'ab' : 'cd').repeat(family === 'evm' ? 20 : 32));
      const batch = await ask<(Asset | null)[]>('getAssetBatch', { ids: [...wanted, unknown] });
      expect(batch.map((asset) => asset?.id ?? null)).toEqual([...wanted, null]);
      await fails('getAsset', { id: unknown }, -32000, /not known/);
      await fails('getAssetSignatures', { id: unknown }, -32000, /not known/);
    });

    it('shows what a wallet holds as its holdings, page by page', async () => {
      let compared = 0;
      const wallets = new Set<string>();
      for (const { address } of (await listed()).slice(0, 20)) {
        for (const holder of await data(`/tokens/${slug}/${address}/holders?limit=5`)) wallets.add(holder.address);
      }
      for (const wallet of [...wallets].slice(0, 6)) {
        const held = await data(`/wallets/${slug}/${wallet}/holdings?limit=200`);
        const all = await ask<DasList>('getAssetsByOwner', { ownerAddress: wallet, limit: 1000 });
        expect(all).toMatchObject({ total: held.length, limit: 1000, page: 1 });
        expect(all.cursor).toBeUndefined();
        expect(shownOwned(all.items)).toEqual(await ownedOf(data, slug, wallet, held));
        const first = await ask<DasList>('getAssetsByOwner', { ownerAddress: wallet, limit: 1 });
        const walked = [...first.items];
        for (let { cursor } = first; cursor !== undefined; ) {
          const next: DasList = await ask('getAssetsByOwner', { ownerAddress: wallet, limit: 1, cursor });
          walked.push(...next.items);
          cursor = next.cursor;
        }
        expect(walked).toEqual(all.items);
        if (all.total > 1) {
          const second = await ask<DasList>('getAssetsByOwner', { ownerAddress: wallet, limit: 1, page: 2 });
          expect(second.items).toEqual([all.items[1]]);
        }
        compared += all.items.length;
        const none = await ask<DasList>('getAssetsByOwner', {
          ...{ ownerAddress: wallet, displayOptions: { showFungible: false } },
        });
        expect(none).toEqual({ total: 0, limit: 100, page: 1, items: [] });
      }
      expect(compared).toBeGreaterThan(0);
    });

    it('finds what the search finds, in its order', async () => {
      // Some tokens have no symbol.
      const tokens = (await listed()).filter(({ symbol }) => Boolean(symbol));
      for (const { symbol } of tokens.slice(0, 4)) {
        const found = await data(`/search?chain=${slug}&q=${encodeURIComponent(symbol)}&limit=200`);
        for (const name of ['name', 'symbol', 'searchTerm', 'query']) {
          const { items, total } = await ask<DasList>('searchAssets', { [name]: symbol });
          expect(items.map(({ id }) => id)).toEqual(found.map(({ address }: { address: string }) => address));
          expect(total).toBe(found.length);
          const ids = items.map(({ id }) => id);
          expect(await ask('getAssetBatch', { ids })).toEqual(items);
        }
        expect(found.length).toBeGreaterThan(0);
      }
      await fails('searchAssets', {}, -32602, /at least one of creatorAddress/);
      const owner = tokens[0]!.address;
      await fails('searchAssets', { ownerAddress: owner }, -32602, /getAssetsByOwner/);
      const held = await ask<DasList>('searchAssets', { query: tokens[0]!.symbol, ownerAddress: owner });
      expect(held.total).toBe(0);
    });

    it('lists the transactions that traded a token once each, over pages as in one', async () => {
      let compared = 0;
      for (const [n, { address }] of (await listed()).entries()) {
        if (n >= 3 && compared > ENOUGH) break;
        const trades: { signature: string }[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: { data: { signature: string }[]; next: string | null } = (
            await harness.get(`/tokens/${slug}/${address}/trades?limit=200${cursor && `&cursor=${cursor}`}`)
          ).body;
          trades.push(...page.data);
          cursor = page.next;
        }
        const signatures = [...new Set(trades.map(({ signature }) => signature))];
        const all = await ask<DasList<[string, string]>>('getAssetSignatures', { id: address, limit: 1000 });
        expect(all.items).toEqual(signatures.slice(0, 1000).map((signature) => [signature, 'Swap']));
        const walked: [string, string][] = [];
        let cursor: string | undefined;
        do {
          const page: DasList<[string, string]> = await ask('getSignaturesForAsset', { id: address, limit: 7, cursor });
          walked.push(...page.items);
          cursor = page.cursor;
        } while (cursor !== undefined);
        expect(walked).toEqual(signatures.map((signature) => [signature, 'Swap']));
        const third = await ask<DasList<[string, string]>>('getAssetSignatures', { id: address, limit: 7, page: 3 });
        expect(third.items).toEqual(walked.slice(14, 21));
        compared += walked.length;
      }
      expect(compared).toBeGreaterThan(ENOUGH);
    });

    it('lists what a wallet created, by every name of it', async () => {
      const created = new Map<string, string[]>();
      for (const { address, creator } of await listed()) {
        if (creator !== null) created.set(creator, [...(created.get(creator) ?? []), address]);
      }
      for (const [creator, tokens] of created) {
        const all = await ask<DasList>('getAssetsByCreator', { creatorAddress: creator });
        expect(all.items.map(({ id }) => id).sort()).toEqual(tokens.sort());
        expect(all.items.every(({ creators }) => creators[0]!.address === creator)).toBe(true);
        expect(all.items).toEqual(await ask('getAssetBatch', { ids: all.items.map(({ id }) => id) }));
        expect(await ask('getAssetsByAuthority', { authorityAddress: creator })).toEqual(all);
        expect(await ask('getAssetsByGroup', { groupKey: 'collection', groupValue: creator })).toEqual(all);
        expect(await ask('searchAssets', { creatorAddress: creator })).toEqual(all);
      }
      creators += created.size;
    });

    it('orders a list as it is asked to, on every page', async () => {
      const naive = new NaiveMarket(market.chain, market.facts, last - 10);
      const wallets = new Map<string, number>();
      const tokens = await listed();
      for (const { address } of tokens) {
        for (const holder of await data(`/tokens/${slug}/${address}/holders?limit=50`)) {
          wallets.set(holder.address, (wallets.get(holder.address) ?? 0) + 1);
        }
      }
      const [most] = [...wallets].sort(([, a], [, b]) => b - a);
      const [creator] = tokens.flatMap((token) => token.creator ?? []);
      const lists: [string, object][] = [
        ['getAssetsByOwner', { ownerAddress: most![0] }],
        ['getAssetsByCreator', { creatorAddress: creator }],
        ['searchAssets', { query: tokens.find(({ symbol }) => Boolean(symbol))!.symbol }],
      ];
      for (const [method, params] of lists) {
        const all = await ask<DasList>(method, { ...params, limit: 1000 });
        const rows = await Promise.all(
          all.items.map(async ({ id }) => {
            const token = ids.parseAddress(id)!;
            const [trade] = naive.trades(token);
            const { createdAt } = await data(`/tokens/${slug}/${id}`);
            return {
              id,
              token,
              created: createdAt === null ? null : [createdAt],
              traded: trade ? [trade.block, trade.ordinal] : null,
            };
          }),
        );
        if (rows.length > 1) orders++;
        for (const sortDirection of ['asc', 'desc', undefined] as const) {
          const turn = sortDirection === 'asc' ? 1 : -1;
          const byToken = (a: { token: string }, b: { token: string }): number => (a.token < b.token ? -1 : 1);
          const by = (name: 'created' | 'traded') =>
            [...rows].sort((a, b) => {
              const [first, second] = [a[name], b[name]];
              if (first === null || second === null)
                return Number(first === null) - Number(second === null) || byToken(a, b);
              const at = first.findIndex((part, index) => part !== second[index]);
              return at < 0 ? byToken(a, b) : turn * (first[at]! - second[at]!);
            });
          const wanted = {
            ...{
              created: by('created'),
              updated: by('traded'),
              recent_action: by('traded'),
              recentAction: by('traded'),
            },
            ...{ id: [...rows].sort((a, b) => turn * byToken(a, b)), none: rows },
          };
          for (const [sortBy, expected] of Object.entries(wanted)) {
            const asked = { ...params, sortBy: { sortBy, sortDirection } };
            const sorted = await ask<DasList>(method, { ...asked, limit: 1000 });
            const shown = expected.map(({ id }) => id);
            expect({ asked, ids: sorted.items.map(({ id }) => id) }).toEqual({ asked, ids: shown });
            expect(sorted).toMatchObject({ total: all.total, page: 1 });
            const walked: string[] = [];
            for (let page = 1; page <= Math.min(all.total, 5); page++) {
              walked.push(...(await ask<DasList>(method, { ...asked, limit: 1, page })).items.map(({ id }) => id));
            }
            expect(walked).toEqual(shown.slice(0, 5));
            const first = await ask<DasList>(method, { ...asked, limit: 1 });
            expect(first.cursor === undefined).toBe(all.total < 2);
            if (first.cursor === undefined) continue;
            const { cursor } = first;
            const rest = await ask<DasList>(method, { ...asked, limit: 1000, cursor });
            expect(rest.items.map(({ id }) => id)).toEqual(shown.slice(1));
            // A cursor continues the order that it was given with, no other.
            const other = { sortBy: sortBy === 'id' ? 'created' : 'id', sortDirection };
            await fails(method, { ...asked, sortBy: other, cursor }, -32602, /cursor is not one/);
          }
        }
      }
      const wallet = { ownerAddress: most![0] };
      const sorted = (sortBy: unknown, words: RegExp) =>
        fails('getAssetsByOwner', { ...wallet, sortBy }, -32602, words);
      await sorted('created', /^sortBy must be an object/);
      await sorted({}, /^sortBy\.sortBy must be one of created, updated, recent_action/);
      await sorted({ sortBy: 'price' }, /^sortBy\.sortBy must be one of/);
      await sorted({ sortBy: 'toString' }, /^sortBy\.sortBy must be one of/);
      await sorted({ sortBy: 'id', sortDirection: 'up' }, /^sortBy\.sortDirection must be asc or desc/);
      const other = { groupKey: 'other', groupValue: 'x', sortBy: { sortBy: 'price' } };
      await fails('getAssetsByGroup', other, -32602, /^sortBy\.sortBy must be one of/);
      const id = { id: tokens[0]!.address };
      const signatures = await ask('getAssetSignatures', id);
      const newest = { sortBy: 'recent_action', sortDirection: 'desc' };
      expect(await ask('getAssetSignatures', { ...id, sortBy: newest, sortDirection: 'desc' })).toEqual(signatures);
      await fails(
        'getAssetSignatures',
        { ...id, sortDirection: 'asc' },
        -32602,
        /^sortDirection: signatures come newest/,
      );
      const oldest = { ...newest, sortDirection: 'asc' };
      await fails(
        'getAssetSignatures',
        { ...id, sortBy: oldest },
        -32602,
        /^sortBy: signatures come newest first only/,
      );
    });

    it('has empty pages for groups that it does not know, and refuses what it cannot read', async () => {
      const wallet = (await listed())[0]!.address;
      const empty = { total: 0, limit: 100, page: 1, items: [] };
      expect(await ask('getAssetsByGroup', { groupKey: 'other', groupValue: 'x' })).toEqual(empty);
      expect(await ask('getAssetsByCreator', { creatorAddress: wallet })).toEqual(empty);
      expect(await ask('getAssetsByAuthority', [wallet, 1, 100])).toEqual(empty);
      expect(await ask('getAssetsByGroup', { groupKey: 'collection', groupValue: wallet })).toEqual(empty);
      const owner = { ownerAddress: wallet };
      await fails('getAsset', {}, -32602, /id is required/);
      await fails('getAsset', { id: 'nonsense' }, -32602, /id must be an address/);
      await fails('getAsset', { id: 7 }, -32602, /id must be text/);
      await fails('getAssetBatch', { ids: [] }, -32602, /ids must be a list/);
      await fails('getAssetBatch', { ids: [wallet, 'x'] }, -32602, /ids\[1\] must be an address/);
      await fails('getAssetsByOwner', { ...owner, limit: 0 }, -32602, /limit must be a whole number from 1 to 1000/);
      await fails('getAssetsByOwner', { ...owner, limit: 1001 }, -32602, /limit must be/);
      await fails('getAssetsByOwner', { ...owner, limit: 1.5 }, -32602, /limit must be/);
      await fails('getAssetsByOwner', { ...owner, page: 0 }, -32602, /page must be/);
      await fails('getAssetsByOwner', { ...owner, page: 1e9 }, -32602, /page/);
      await fails('getAssetsByOwner', { ...owner, cursor: 'forged' }, -32602, /cursor is not one/);
      await fails('getAssetsByOwner', { ...owner, cursor: 'x', page: 2 }, -32602, /exclude each other/);
      await fails('getAssetsByOwner', { ...owner, before: 'x' }, -32602, /before is not supported/);
      await fails('getAssetProof', { id: wallet }, -32601, /compressed assets are not indexed/);
      await fails('getAssetProofs', { ids: [wallet] }, -32601, /compressed assets are not indexed/);
      await fails('getPriorityFeeEstimate', {}, -32601);
    });
  },
);

it('some wallets had created what is listed', () => {
  expect(creators).toBeGreaterThan(0);
});

it('some lists of several assets were ordered', () => {
  expect(orders).toBeGreaterThan(0);
});
