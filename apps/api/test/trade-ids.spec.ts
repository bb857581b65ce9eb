import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { ApiHarness, type Reply } from './api-harness.js';

interface Shown {
  readonly id: string;
  readonly signature: string;
  readonly wallet: string;
  readonly block: number;
}

/** Blocks that had the trades of one transaction, one after the other was taken back: the first and the last of them. */
function minedAgain({ blocks }: NaiveMarket, facts: readonly { kind: string }[]): [FactsBlock, FactsBlock] | null {
  const all = facts.filter((group) => group.kind === 'block') as FactsBlock[];
  for (const block of blocks) {
    for (const { tx } of block.trades) {
      const first = all.find(({ trades }) => trades.some((trade) => trade.tx === tx))!;
      if (first.hash !== block.hash && first.height !== block.height) return [first, block];
    }
  }
  return null;
}

/** Ids of trades are those of their transactions: no reorg, no replay and no route gives a trade another one, or two the same. */
const worlds = seeds(3).flatMap((seed) => (['evm', 'solana'] as const).map((family) => [family, seed] as const));
describe.each(worlds)('ids of trades on a chain of %s (seed %i)', (family, seed) => {
  const shape = { family, groups: 45, retractions: 0.15, deepest: 12, traders: true };
  const market = marketWith(seed, shape, (naive, { facts }) => minedAgain(naive, facts) !== null);
  const { chain, facts } = market;
  const { ids, slug } = chain;
  const last = facts.length - 1;
  const [first] = minedAgain(new NaiveMarket(chain, facts, last), facts)!;
  let harness: ApiHarness;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  async function pages(path: string): Promise<Shown[]> {
    const rows: Shown[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const { status, body }: Reply = await harness.get(`${path}?limit=200${next && `&cursor=${next}`}`);
      expect({ path, status }).toEqual({ path, status: 200 });
      rows.push(...body.data);
      next = body.next;
    }
    return rows;
  }

  /** What each token and each wallet shows, by route, and what it has to be: the count of a transaction's trades before. */
  async function compare(seq: number): Promise<Map<string, Shown>> {
    const { blocks } = new NaiveMarket(chain, facts, seq);
    const before = new Map<string, number>();
    const named = blocks.flatMap(({ trades }) =>
      trades.map((trade) => {
        const place = before.get(trade.tx) ?? 0;
        before.set(trade.tx, place + 1);
        return { ...trade, id: `${ids.formatTx(trade.tx)}-${place}` };
      }),
    );
    const shown = new Map<string, Shown>();
    const tokens = new Set(named.flatMap(({ base, quote }) => [base, quote]));
    for (const token of tokens) {
      const rows = await pages(`/tokens/${slug}/${ids.formatAddress(token)}/trades`);
      const expected = named.filter(({ base, quote }) => base === token || quote === token).map(({ id }) => id);
      expect(rows.map(({ id }) => id)).toEqual(expected.reverse());
      for (const row of rows) shown.set(row.id, row);
    }
    for (const wallet of [...new Set(named.map((trade) => trade.wallet))].slice(0, 5)) {
      const rows = await pages(`/wallets/${slug}/${ids.formatAddress(wallet)}/trades`);
      const own = new Set(named.filter((trade) => trade.wallet === wallet).map(({ id }) => id));
      expect(new Set(rows.map(({ id }) => id))).toEqual(own);
      expect(rows).toHaveLength(own.size);
    }
    expect(shown.size).toBe(new Set(named.map(({ id }) => id)).size);
    return shown;
  }

  it('stay when a transaction is mined again, and in other tables of the same log', async () => {
    await harness.advance(first.seq, Math.floor(first.seq * 0.7));
    const early = await compare(first.seq);
    await harness.advance(last, Math.floor(last * 0.8));
    const late = await compare(last);
    const moved = [...late.values()].filter(({ id, block }) => early.has(id) && early.get(id)!.block !== block);
    expect(moved.length).toBeGreaterThan(0);
    for (const { id, signature, wallet } of late.values()) {
      expect(id.startsWith(`${signature}-`)).toBe(true);
      if (early.has(id)) expect(early.get(id)).toMatchObject({ signature, wallet });
    }
    await harness.replay();
    expect(await compare(last)).toEqual(late);
  });
});
