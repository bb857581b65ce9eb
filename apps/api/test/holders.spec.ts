import { isOnCurve } from '#libs/chain/chains/solana/curve-point.js';
import { formatDecimal, toDisplayNumber } from '#libs/core/money.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith, recordedOf } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import type { Balance } from '#libs/pipeline/projections/balances/projection.js';
import { naiveBalances } from '#libs/pipeline/projections/balances/test/oracle.js';
import type { TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import type { LpShares } from '#libs/pipeline/projections/lp-shares/projection.js';
import { naiveLpShares } from '#libs/pipeline/projections/lp-shares/test/oracle.js';
import { isBurnWallet } from '#libs/pipeline/projections/token-amounts.js';
import { naiveRights } from '#libs/pipeline/projections/token-rights/test/oracle.js';
import { naiveShares } from '#libs/pipeline/projections/token-shares/test/oracle.js';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { ApiHarness } from './api-harness.js';

/** Rows of holders and of holdings over all histories: a single one may have no complete token. */
const compared = { rows: 0, holdings: 0 };
const kinds = new Set<string>();
/** Fields of `safety` that said something. */
const measured = new Set<string>();

/** Every second random id of Solana is off the curve, so there is no key for it. */
function kindOf(naive: NaiveMarket, wallet: string): string {
  const pool = naive.blocks.flatMap(({ pools }) => pools).find((record) => record.pool === wallet);
  if (isBurnWallet(wallet)) return 'burn';
  if (pool !== undefined) return pool.kind === 'curve' ? 'curve' : 'pool';
  return naive.chain.family === 'evm' || isOnCurve(Buffer.from(wallet, 'hex')) ? 'wallet' : 'program';
}

/** Shares of the pool that sets a token's price. */
function sharesOf(naive: NaiveMarket, token: string): LpShares | undefined {
  const priced = naive.blocks.flatMap(({ prices }) => prices).findLast((price) => price.token === token)?.pool;
  return naiveLpShares(naive.blocks, [], naive.chain).find(({ pool }) => pool === priced);
}

/** Holders, holdings and supplies, compared with balances worked out from the surviving transfers, while pages are walked. */
describe.each(seeds(6).flatMap((seed) => (['evm', 'solana'] as const).map((family) => [family, seed] as const)))(
  'holders of a chain of %s (seed %i)',
  (family, seed) => {
    const market = marketWith(seed, { family, groups: 110, deepest: 20, shares: true }, (now, known) => {
      const then = new NaiveMarket(known.chain, known.facts, Math.floor(known.facts.length / 2));
      const held = [then, now].map((naive) => {
        const complete = new Set(naiveHolders(naive.blocks).flatMap((row) => (row.standing === 1 ? [row.token] : [])));
        const shown = naiveBalances(naive.blocks).filter(({ token }) => complete.has(token));
        return new Set(shown.map(({ wallet }) => kindOf(naive, wallet)));
      });
      const tokens = new Set(now.tokens().map(({ token }) => token));
      const rights = naiveRights([], recordedOf(now, known)).filter(({ token }) => tokens.has(token));
      // Only a mint of Solana says who may make more.
      const mintable = family === 'evm' || rights.some(({ mintKnown, mint }) => mintKnown && mint !== '');
      // A pair of which some shares are burnt sets a price.
      const burnt = family === 'solana' || [...tokens].some((token) => sharesOf(now, token) !== undefined);
      return (
        burnt &&
        held[0]!.size > 0 &&
        held[1]!.size >= 3 &&
        (held[1]!.has('wallet') || held[1]!.has('program')) &&
        mintable
      );
    });
    const { chain } = market;
    const { ids, slug } = chain;
    const half = Math.floor(market.facts.length / 2);
    const last = market.facts.length - 1;
    let harness: ApiHarness;

    beforeAll(async () => {
      harness = await ApiHarness.start(market);
      await harness.advance(half, Math.floor(half * 0.7));
    });
    afterAll(async () => {
      expect(harness.problems).toEqual([]);
      await harness.close();
    });

    const stateAt = (naive: NaiveMarket) => {
      const counts = new Map(naiveHolders(naive.blocks).map((row) => [row.token, row]));
      const held = naiveBalances(naive.blocks);
      const complete = (token: string): TokenHolders | null =>
        counts.get(token)?.standing === 1 ? counts.get(token)! : null;
      const ofToken = (token: string): Balance[] =>
        complete(token) === null ? [] : held.filter((row) => row.token === token).sort(largestFirst);
      return { naive, held, complete, ofToken };
    };
    type State = ReturnType<typeof stateAt>;

    const usdOf = ({ naive }: State, { token, amount }: Balance): number | null => {
      const price = naive.price(token);
      const decimals = naive.tokens().find((record) => record.token === token)?.decimals ?? null;
      const value = price === null || decimals === null ? null : amountUsd(amount, decimals, price);
      return value === null ? null : toDisplayNumber(value, 18);
    };

    const burntOf = ({ naive }: State, token: string): number | null => {
      const row = sharesOf(naive, token);
      return row === undefined || row.supply === 0n ? null : toDisplayNumber((row.burnt * 10n ** 14n) / row.supply, 12);
    };

    /** From balances, and from the tags and rights whose projections have oracles of their own. */
    function compareSafety(state: State, token: string, { safety, creator }: TokenBody): void {
      const counts = state.complete(token);
      const total = counts === null ? 0n : counts.minted - counts.burnt;
      const percent = (known: boolean, amount: bigint): number | null =>
        known && total > 0n ? toDisplayNumber((amount * 100n * 10n ** 12n) / total, 12) : null;
      const people = state.ofToken(token).filter(({ wallet }) => /wallet|program/.test(kindOf(state.naive, wallet)));
      const share = naiveShares(state.naive.blocks).find((row) => row.token === token);
      const fresh = share?.fresh === 1;
      const rights = naiveRights([], recordedOf(state.naive, market)).find((row) => row.token === token);
      const held = [
        rights?.mintKnown ? rights.mint !== '' : null,
        rights?.freezeKnown ? rights.freeze !== '' : null,
        rights?.metadataKnown ? rights.metadata !== '' : null,
      ];
      const tax = rights?.feeKnown ? rights.transferFeeBps / 100 : null;
      expect(safety).toEqual({
        top10Percent: percent(
          true,
          people.slice(0, 10).reduce((sum, { amount }) => sum + amount, 0n),
        ),
        creatorPercent: percent(creator !== null, share?.creator ?? 0n),
        sniperPercent: percent(fresh, share?.snipers ?? 0n),
        bundlerPercent: percent(fresh, share?.bundlers ?? 0n),
        insiderPercent: percent(creator !== null, share?.insiders ?? 0n),
        lpBurntPercent: burntOf(state, token),
        ...{ mintable: held[0], freezable: held[1] },
        renounced: held.includes(true) ? false : held.includes(null) ? null : true,
        ...{ buyTaxPercent: tax, sellTaxPercent: tax, transferTaxPercent: tax },
        // What simulations find is compared in specs of their own.
        ...{ buyable: null, sellable: null, transferable: null, pausable: null, blacklist: null },
        ...{ taxChangeable: null, proxy: null, owner: null, checked: null },
      });
      for (const [name, value] of Object.entries(safety)) if (value !== null && value !== 0) measured.add(name);
    }

    async function compareToken(state: State, token: string, query = ''): Promise<number> {
      const path = `/tokens/${slug}/${ids.formatAddress(token)}`;
      const { decimals, totalSupply } = state.naive.tokens().find((record) => record.token === token)!;
      const counts = state.complete(token);
      const body = await harness.documented(`${path}/holders?limit=200${query}`, 'HoldersAnswer');
      const expected = state.ofToken(token);
      expect(body).toMatchObject({ complete: counts !== null, holders: counts?.holders ?? null, next: null });
      expect(body.data).toEqual(
        expected.map((row) => ({
          address: ids.formatAddress(row.wallet),
          kind: kindOf(state.naive, row.wallet),
          amount: formatDecimal(row.amount, decimals ?? 0),
          sharePercent: expect.any(Number),
          valueUsd: usdOf(state, row),
          firstAt: row.firstAt,
          lastAt: row.lastAt,
        })),
      );
      for (const row of body.data) kinds.add(row.kind);
      const shares = body.data.reduce((sum: number, row: { sharePercent: number }) => sum + row.sharePercent, 0);
      if (expected.length > 0) expect(shares).toBeCloseTo(100, 6);
      const { data } = await harness.documented(`${path}?${query.slice(1)}`, 'TokenAnswer');
      compareSafety(state, token, data);
      const whole = (amount: bigint | null) =>
        amount === null || decimals === null ? null : formatDecimal(amount, decimals);
      const isCoin = family === 'solana' && token === chain.wrappedNative.token;
      expect(data).toMatchObject({
        holders: counts?.holders ?? null,
        supply: isCoin ? null : whole(counts === null ? totalSupply : counts.minted - counts.burnt),
        circulatingSupply: counts === null ? null : whole(counts.minted - counts.burnt - counts.dead),
      });
      if (data.marketCapUsd !== null) {
        const cap = data.priceUsd * Number(data.circulatingSupply);
        if (cap > 1e-6) expect(data.marketCapUsd / cap).toBeCloseTo(1, 9);
      } else if (data.priceUsd !== null && data.circulatingSupply !== null) {
        const most = data.exitUsd === null ? 1e12 : Math.min(1e12, data.exitUsd * 100_000 * (1 - 1e-9));
        expect(data.priceUsd * Number(data.circulatingSupply)).toBeGreaterThan(most);
      }
      return expected.length;
    }

    it('shows every holder of complete tokens, and none of others', async () => {
      const state = stateAt(new NaiveMarket(chain, market.facts, half));
      for (const { token } of state.naive.tokens()) compared.rows += await compareToken(state, token);
    });

    it('shows what a wallet holds, the most valuable first', async () => {
      const state = stateAt(new NaiveMarket(chain, market.facts, half));
      // Those with something to show come first.
      const shown = state.held.filter(({ token }) => state.complete(token) !== null);
      const wallets = new Set([...shown, ...state.held].map(({ wallet }) => wallet));
      for (const wallet of [...wallets].slice(0, 12)) {
        const path = `/wallets/${slug}/${ids.formatAddress(wallet)}/holdings`;
        const { data } = await harness.documented(`${path}?limit=200`, 'HoldingsAnswer');
        const own = state.held.filter((row) => row.wallet === wallet && state.complete(row.token) !== null);
        const value = (row: { valueUsd: number | null }) => row.valueUsd ?? -1;
        expect(data.map(value)).toEqual(data.map(value).sort((a: number, b: number) => b - a));
        const amounts = own.map((row) => {
          const record = state.naive.tokens().find(({ token }) => token === row.token);
          return [ids.formatAddress(row.token), formatDecimal(row.amount, record?.decimals ?? 0), usdOf(state, row)];
        });
        const byToken = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);
        const rows = data.map(({ token, amount, valueUsd }: Record<string, unknown>) => [token, amount, valueUsd]);
        expect(rows.sort(byToken)).toEqual(amounts.sort(byToken));
        compared.holdings += data.length;
      }
    });

    it('walks pages of one view while blocks arrive and go, and answers as of an earlier block', async () => {
      const state = stateAt(new NaiveMarket(chain, market.facts, half));
      const tokens = state.naive.tokens().filter(({ token }) => state.ofToken(token).length > 2);
      const { token } = tokens[0] ?? {};
      const path = token && `/tokens/${slug}/${ids.formatAddress(token)}/holders`;
      const first = path && (await harness.get(`${path}?limit=1`)).body;
      const block = state.naive.blocks[Math.floor(state.naive.blocks.length / 2)]!;
      await harness.advance(last, Math.floor(last * 0.6));
      if (token !== undefined) {
        const walked = [...first.data];
        for (let next = first.next; next !== null; ) {
          const page = (await harness.get(`${path}?limit=2&cursor=${next}`)).body;
          expect(page.meta).toEqual(first.meta);
          walked.push(...page.data);
          next = page.next;
        }
        expect(walked.map(({ address }) => address)).toEqual(
          state.ofToken(token).map(({ wallet }) => ids.formatAddress(wallet)),
        );
      }
      const now = stateAt(new NaiveMarket(chain, market.facts, last));
      for (const record of now.naive.tokens()) await compareToken(now, record.token);
      if (!now.naive.blocks.some(({ hash }) => hash === block.hash)) return;
      const then = stateAt(new NaiveMarket(chain, market.facts, last, block.height));
      for (const record of then.naive.tokens()) await compareToken(then, record.token, `&asOfBlock=${block.height}`);
    });

    it('refuses what is no token, wallet or cursor', async () => {
      const odd = family === 'evm' ? '0x12' : 'abc';
      const known = ids.formatAddress(new NaiveMarket(chain, market.facts, last).tokens()[0]!.token);
      const unknown = ids.formatAddress('7f'.repeat(family === 'evm' ? 20 : 32));
      const expectError = async (path: string, status: number, message: RegExp) => {
        const reply = await harness.get(path);
        expect({ path, status: reply.status }).toEqual({ path, status });
        expect(reply.body.error.message).toMatch(message);
      };
      await expectError(`/tokens/${slug}/${odd}/holders`, 400, /^address must be/);
      await expectError(`/tokens/${slug}/${unknown}/holders`, 404, /is not known/);
      await expectError(`/tokens/${slug}/${known}/holders?limit=201`, 400, /^limit must be/);
      await expectError(`/tokens/${slug}/${known}/holders?cursor=abc`, 400, /^cursor/);
      await expectError(`/wallets/${slug}/${odd}/holdings`, 400, /^address must be/);
      await expectError(`/wallets/nope/${known}/holdings`, 400, /^chain/);
      expect((await harness.get(`/wallets/${slug}/${unknown}/holdings`)).body.data).toEqual([]);
    });
  },
);

it('have been compared, and so have holdings', () => {
  expect(compared.rows).toBeGreaterThan(0);
  expect(compared.holdings).toBeGreaterThan(0);
});

it('have been of several kinds', () => {
  expect(kinds.size).toBeGreaterThanOrEqual(3);
});

it('have been safe and unsafe', () => {
  expect([...measured]).toEqual(expect.arrayContaining(['top10Percent', 'mintable', 'lpBurntPercent']));
});

function largestFirst(a: Balance, b: Balance): number {
  if (a.amount !== b.amount) return a.amount > b.amount ? -1 : 1;
  return a.wallet < b.wallet ? -1 : 1;
}
