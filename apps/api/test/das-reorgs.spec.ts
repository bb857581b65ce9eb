import { marketWith, recordedOf } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import { naiveStandards } from '#libs/pipeline/projections/token-standards/test/oracle.js';
import {
  type Asset,
  type DasList,
  ownedOf,
  shownOwned,
  shownStandard,
  standardOf,
  startDas,
  unitsOf,
} from './das-harness.js';

/**
 * While blocks come and are taken back, DAS says of random holders and tokens what the routes of holdings and tokens say at the
 * same block, and a cursor continues the list that it was given with or is refused.
 */
const STALE = -32602;

const drawn = <T>(random: SeededRandom, items: readonly T[], most: number): T[] =>
  items.length === 0 ? [] : [...new Set(Array.from({ length: most }, () => random.pick(items)))];

/** Seqs to look at: around each retraction, and random ones between, in order. */
function places(random: SeededRandom, retracts: readonly number[], last: number): number[] {
  const first = Math.ceil(last / 4);
  const between = Array.from({ length: scaled(20, 2) }, () => first + random.below(last - first));
  const around = retracts.filter((seq) => seq > first).flatMap((seq) => [seq - 1, seq, Math.min(seq + 2, last)]);
  return [...new Set([...between, ...drawn(random, around, scaled(30, 4)), last])].sort((a, b) => a - b);
}

it.each(['evm', 'solana'] as const)('DAS of %s says what the routes say, whatever is taken back', async (family) => {
  await withSeed(`DAS and reorgs of ${family}`, async (random) => {
    const market = marketWith(random.below(2 ** 30), { family, groups: 110, deepest: 20 }, (naive, history) => {
      const traded = new Set(naive.blocks.flatMap(({ trades }) => trades.map(({ base }) => base)));
      const rows = naiveHolders(naive.blocks);
      const standards = naiveStandards([], recordedOf(naive, history));
      if (!standards.some(({ token }) => traded.has(token))) return false;
      return rows.some(({ token, standing, holders }) => standing === 1 && holders > 0 && traded.has(token));
    });
    const { slug, ids } = market.chain;
    const last = market.facts.length - 1;
    const retracts = market.facts.flatMap(({ kind, seq }) => (kind === 'retract' ? [seq] : []));
    const { harness, gateway } = await startDas(market);
    const data = async (path: string) => (await harness.get(path)).body.data;
    const ask = (method: string, params: object) => gateway.call(`/${slug}`, method, params);
    let opened: { params: object; rest: Asset[] } | null = null;
    const seen = { tokens: 0, holdings: 0, standards: 0 };
    try {
      for (const seq of places(random, retracts, last)) {
        await harness.advance(seq, Math.max(0, seq - 1 - random.below(12)));
        if (opened !== null) {
          const { result, error } = await ask('getAssetsByOwner', opened.params);
          if (error === undefined) expect(result.items).toEqual(opened.rest);
          else expect(error.code).toBe(STALE);
          opened = null;
        }
        const recorded = recordedOf(new NaiveMarket(market.chain, market.facts, seq), market);
        const standards = new Map(naiveStandards([], recorded).map((row) => [ids.formatAddress(row.token), row]));
        const listed: { address: string }[] = await data(`/screener?chain=${slug}&limit=200`);
        const wallets = new Set([ids.formatAddress(random.hex(family === 'evm' ? 20 : 32))]);
        for (const { address } of seq === last ? listed : drawn(random, listed, 3)) {
          const token = await data(`/tokens/${slug}/${address}`);
          const { result: asset, error } = await ask('getAsset', { id: address });
          // A list may be a moment old: its token may be taken back.
          if (token === undefined) {
            expect({ asset, refused: error !== undefined }).toEqual({ asset: undefined, refused: true });
            continue;
          }
          const { decimals = null, price_info, supply } = (asset as Asset).token_info;
          // Raw units need no decimals, whole tokens do.
          const counted = supply !== undefined && decimals !== null;
          expect({
            ...{ name: asset.content.metadata.name, symbol: asset.content.metadata.symbol, decimals },
            ...{ price: price_info?.price_per_token ?? null, supply: counted ? Number(supply) : null },
            creators: asset.creators.map((creator: { address: string }) => creator.address),
          }).toEqual({
            ...{ name: token.name ?? '', symbol: token.symbol ?? '', decimals: token.decimals, price: token.priceUsd },
            supply: token.supply === null ? null : Number(unitsOf(token.supply, token.decimals)),
            creators: token.creator === null ? [] : [token.creator],
          });
          const standard = standards.get(address);
          expect({ seq, ...shownStandard(asset) }).toEqual({ seq, ...standardOf(standard) });
          if (standard !== undefined) seen.standards++;
          seen.tokens++;
          const holders: { address: string }[] = await data(`/tokens/${slug}/${address}/holders?limit=20`);
          if (holders.length > 0) wallets.add(random.pick(holders).address);
        }
        for (const wallet of wallets) {
          const held = await data(`/wallets/${slug}/${wallet}/holdings?limit=200`);
          const { result }: { result: DasList } = await ask('getAssetsByOwner', { ownerAddress: wallet, limit: 1000 });
          expect({ seq, items: shownOwned(result.items) }).toEqual({
            ...{ seq, items: await ownedOf(data, slug, wallet, held) },
          });
          seen.holdings += held.length;
          if (result.total < 2) continue;
          const sortBy = {
            sortBy: random.pick(['none', 'created', 'updated', 'recent_action', 'id']),
            sortDirection: random.pick(['asc', 'desc']),
          };
          const params = { ownerAddress: wallet, limit: result.total, sortBy };
          const { result: whole } = await ask('getAssetsByOwner', params);
          const { result: page } = await ask('getAssetsByOwner', { ...params, limit: 1 });
          expect({ seq, total: whole.total, first: page.items }).toEqual({
            ...{ seq, total: result.total, first: whole.items.slice(0, 1) },
          });
          opened = { params: { ...params, cursor: page.cursor }, rest: whole.items.slice(1) };
        }
      }
      expect(retracts.length).toBeGreaterThan(0);
      expect(Math.min(seen.tokens, seen.holdings, seen.standards)).toBeGreaterThan(0);
      expect([...harness.problems, ...gateway.logged]).toEqual([]);
    } finally {
      await gateway.close();
      await harness.close();
    }
  });
});
