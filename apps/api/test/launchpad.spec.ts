import { chainSlugs } from '#libs/chain/chains/registry.js';
import { type RandomMarket, seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith, recordedOf } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import type { TokenLaunch } from '#libs/pipeline/projections/launches/projection.js';
import { naiveLaunches } from '#libs/pipeline/projections/launches/test/oracle.js';
import { type BoardRow, boardNames } from '#libs/serve/contract/rest/launchpad-body.js';
import { ApiHarness } from './api-harness.js';

const seen = { launches: 0, minted: 0, found: 0, boards: new Set<string>() };
const HOUR = 3_600_000;

/** What the surviving blocks say of launches; of what was not launched only where all of its transfers are known. */
function launchesOf(naive: NaiveMarket, market: RandomMarket): Map<string, TokenLaunch> {
  const complete = new Set(naiveHolders(naive.blocks).flatMap((row) => (row.standing === 1 ? [row.token] : [])));
  const all = naiveLaunches(naive.blocks, recordedOf(naive, market), market.reference);
  return new Map(
    all.flatMap((launch) =>
      launch.origin === 2 || complete.has(launch.token) ? [[launch.token, launch] as const] : [],
    ),
  );
}

/** Which launches are on a board. */
const boards = (naive: NaiveMarket) => {
  const traded = (token: string) => naive.window(token, HOUR).trades > 0;
  return {
    new: (launch: TokenLaunch) => launch.graduated === 0,
    graduating: (launch: TokenLaunch) =>
      launch.graduated === 0 && launch.progressPpm >= 700_000 && traded(launch.token),
    graduated: (launch: TokenLaunch) => launch.graduated === 1,
  };
};

/** The first market of each family has launches on every board, that of EVM a token that was made without a launchpad. */
function launchMarket(seed: number, family: 'evm' | 'solana', nth: number): RandomMarket {
  return marketWith(seed, { family, groups: 120, retractions: 0.1, blockTime: 60_000 }, (naive, market) => {
    if (nth > 1) return true;
    const launches = launchesOf(naive, market);
    const listed = naive.tokens().flatMap(({ token }) => launches.get(token) ?? []);
    const launched = listed.filter(({ origin }) => origin === 2);
    const on = boards(naive);
    return (
      (family === 'solana' || listed.some(({ origin }) => origin === 1)) &&
      listed.some(({ creator }) => creator !== '') &&
      boardNames.every((board) => launched.some(on[board]))
    );
  });
}

/** Launches, creators and boards on every route, compared with what the surviving blocks say. */
const worlds = seeds(15).flatMap((seed) => (['evm', 'solana'] as const).map((family) => [family, seed] as const));
describe.each(worlds.map(([family, seed], nth) => [family, seed, nth] as const))(
  'launches of a chain of %s (seed %i)',
  (family, seed, nth) => {
    const market = launchMarket(seed, family, nth);
    const { ids, slug } = market.chain;
    const last = market.facts.length - 1;
    const naive = new NaiveMarket(market.chain, market.facts, last);
    const launches = launchesOf(naive, market);
    const addressOf = (id: string) => (id === '' ? null : ids.formatAddress(id));
    let harness: ApiHarness;

    beforeAll(async () => {
      harness = await ApiHarness.start(market);
      await harness.advance(last, Math.floor(last * 0.6));
    });
    afterAll(async () => {
      expect(harness.problems).toEqual([]);
      await harness.close();
    });

    const launchpadOf = (launch: TokenLaunch | undefined) =>
      launch?.origin !== 2
        ? null
        : {
            ...{ name: launch.launchpad, progressPercent: launch.progressPpm / 10_000 },
            ...{ graduated: launch.graduated === 1, graduatedAt: launch.graduatedAt || null },
            graduatedPool: addressOf(launch.graduatedPool),
          };

    it('shows launchpad, creation and creator of a token, the same in lists and on its own', async () => {
      for (const { token } of naive.tokens()) {
        const launch = launches.get(token);
        const expected = {
          launchpad: launchpadOf(launch),
          createdAt: launch?.createdAt || null,
          creator: addressOf(launch?.creator ?? ''),
        };
        const address = ids.formatAddress(token);
        const { data } = await harness.documented(`/tokens/${slug}/${address}`, 'TokenAnswer');
        expect(data).toMatchObject(expected);
        const found = (await harness.documented(`/search?q=${address}`, 'SearchAnswer')).data;
        expect(found[0]).toMatchObject({ address, ...expected });
        if (launch?.origin === 2) seen.launches++;
        else if (launch?.origin === 1) seen.minted++;
      }
      for (const token of [market.reference.coin.token, ...market.reference.stables]) {
        const { body } = await harness.get(`/tokens/${slug}/${ids.formatAddress(token)}`);
        if (body.data !== undefined) expect(body.data).toMatchObject({ launchpad: null, creator: null });
      }
    });

    it('lists each board in its order, page by page', async () => {
      const on = boards(naive);
      const key = {
        new: (launch: TokenLaunch) => launch.createdAt,
        graduating: (launch: TokenLaunch) => launch.progressPpm,
        graduated: (launch: TokenLaunch) => launch.graduatedAt,
      };
      const listed = new Set(naive.tokens().map(({ token }) => token));
      const all = [...launches.values()].filter(({ origin, token }) => origin === 2 && listed.has(token));
      for (const board of boardNames) {
        const expected = all.filter(on[board]);
        const rows: BoardRow[] = [];
        for (let next: string | null = ''; next !== null; ) {
          const body = await harness.documented(
            `/launchpad/${board}?chain=${slug}&limit=2${next && `&cursor=${next}`}`,
            'BoardAnswer',
          );
          rows.push(...body.data);
          next = body.next;
        }
        const addresses = rows.map(({ address }) => address);
        expect([...addresses].sort()).toEqual(expected.map(({ token }) => ids.formatAddress(token)).sort());
        const keys = addresses.map((address) => key[board](launches.get(ids.parseAddress(address)!)!));
        expect(keys).toEqual([...keys].sort((a, b) => b - a));
        for (const { curve, ...row } of rows) {
          const launch = launches.get(ids.parseAddress(row.address)!)!;
          expect(curve).toEqual({
            progressPercent: launch.progressPpm / 10_000,
            pool: ids.formatAddress(launch.curve),
          });
          expect(row.launchpad).toEqual(launchpadOf(launch));
          expect((await harness.get(`/tokens/${slug}/${row.address}`)).body.data).toMatchObject(row);
          seen.boards.add(board);
        }
        const ofOne = await harness.get(`/launchpad/${board}?launchpad=meteora-dbc&limit=200`);
        if (!market.chain.launchpads.includes('meteora-dbc')) {
          expect(ofOne.status).toBe(400);
          expect(ofOne.body.error.message).toContain(`launchpad meteora-dbc is not indexed on ${slug}`);
          continue;
        }
        expect((ofOne.body.data as BoardRow[]).map(({ address }) => address)).toEqual(
          rows.filter(({ launchpad }) => launchpad?.name === 'meteora-dbc').map(({ address }) => address),
        );
      }
    });

    it('finds the tokens that a wallet created, the newest first', async () => {
      for (const creator of new Set([...launches.values()].map((launch) => launch.creator))) {
        if (creator === '') continue;
        const { data } = await harness.documented(`/search?q=${ids.formatAddress(creator)}`, 'SearchAnswer');
        const listed = new Set(naive.tokens().map(({ token }) => token));
        const own = [...launches.values()].filter((launch) => launch.creator === creator && listed.has(launch.token));
        expect(data.map((row: { address: string }) => row.address).sort()).toEqual(
          own.map(({ token }) => ids.formatAddress(token)).sort(),
        );
        const times = data.map((row: { createdAt: number }) => row.createdAt);
        expect(times).toEqual([...times].sort((a, b) => b - a));
        seen.found += data.length;
      }
    });

    it('refuses boards, launchpads and cursors that are none', async () => {
      for (const [path, status, message] of [
        ['/launchpad/foo', 404, 'no board is called foo: the boards are new, graduating and graduated'],
        ['/launchpad/New', 404, 'no board is called New'],
        ['/launchpad/new?launchpad=unheard', 400, 'launchpad must be one of pumpfun'],
        ['/launchpad/new?limit=0', 400, 'limit must be'],
        ['/launchpad/new?chain=doge', 400, chainSlugs.join(', ')],
        ['/launchpad/new?cursor=abc', 400, 'cursor'],
      ] as const) {
        const { status: got, body } = await harness.get(path);
        expect({ path, status: got }).toEqual({ path, status });
        expect(body.error.message).toContain(message);
      }
    });
  },
);

describe('the runs above', () => {
  it('met launches, creators and every board', () => {
    expect(Math.min(seen.launches, seen.minted, seen.found)).toBeGreaterThan(0);
    expect([...seen.boards].sort()).toEqual([...boardNames].sort());
  });
});
