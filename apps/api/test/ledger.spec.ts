import { readFileSync } from 'node:fs';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { formatDecimal, toDisplayNumber } from '#libs/core/money.js';
import { foldAll } from '#libs/devkit/testing/market/market-harness.js';
import type { Position } from '#libs/pipeline/projections/positions/projection.js';
import type { BlocksGroup, ChainEvent, EpochGroup, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { ApiHarness } from './api-harness.js';

const DAY = 86_400_000;
const DAY_1 = Date.UTC(2026, 4, 1);
const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const [COIN, STABLE] = [id(0xc0), id(0xa1)];
const TOKENS: Record<string, string> = { T: id(0x70), W: id(0x71) };
const POOLS: Record<string, string> = { T: id(0x80), W: id(0x81) };
const WALLETS: Record<string, string> = { A: id(0xaa), B: id(0xbb) };
const units = (text: string | number): bigint => BigInt(text) * 10n ** 6n;

/** The tables of docs/profit.md, each as rows of cells by the names of its columns. */
const tables = readFileSync(new URL('../../../docs/profit.md', import.meta.url), 'utf8')
  .split(/\n\n+/)
  .filter((part) => part.startsWith('|'))
  .map((part) => {
    const [head, , ...rows] = part
      .trim()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [head![index]!, cell])));
  });
const [steps, positions, days, sums] = tables as [Row[], Row[], Row[], Row[]];
type Row = Record<string, string>;

const step = (row: Row) => {
  const trade = /^(buys|sells) (\d+) (\w) for (\d+) USD$/.exec(row['What happens']!);
  const sent = /^sends (\d+) (\w) to (\w)$/.exec(row['What happens']!);
  return { trade, sent };
};

/** The blocks of the ledger, whose amounts are as the table says and whose reserves only set the price. */
function ledgerGroups(): BlocksGroup[] {
  const first: EpochGroup = {
    ...{ kind: 'epoch', chain: 'eth', epoch: 1, seq: 0, height: 0, hash: id(0xff, 32), parentHash: '', time: 0 },
    reference: {
      ...{ family: 'evm', genesisHash: id(0xfe, 32), startHeight: 0, decoderVersion: 1, stables: [STABLE] },
      coin: { token: COIN, symbol: 'COIN', decimals: 18 },
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    },
  };
  const heights = [...new Set(steps.map(({ Block }) => Number(Block)))];
  return [
    first,
    ...heights.map((height) =>
      ledgerBlock(
        height,
        steps.filter(({ Block }) => Number(Block) === height),
      ),
    ),
  ];
}

function ledgerBlock(height: number, rows: Row[]): BlocksGroup {
  const events: ChainEvent[] = [];
  const push = (event: object): void => {
    events.push({ ...event, tx: 0, ordinal: events.length } as ChainEvent);
  };
  const reserves = (name: string, usd: number, tokens: number): void => {
    const [reserve0, reserve1] = TOKENS[name]! < STABLE ? [units(tokens), units(usd)] : [units(usd), units(tokens)];
    push({ kind: 'reserves', pool: POOLS[name], reserve0, reserve1 });
  };
  if (height === 1) {
    for (const [name, supply] of [
      ['T', 100_000],
      ['W', 3_000_000],
    ] as const) {
      reserves(name, 300_000, supply);
      push({ kind: 'transfer', token: TOKENS[name], from: id(0), to: POOLS[name], amount: units(supply) });
    }
  }
  for (const row of rows) {
    const { trade, sent } = step(row);
    const wallet = WALLETS[row.Wallet!];
    if (sent) {
      push({ kind: 'transfer', token: TOKENS[sent[2]!], from: wallet, to: WALLETS[sent[3]!], amount: units(sent[1]!) });
    } else if (trade) {
      const [, what, amount, name, usd] = trade as unknown as string[];
      const sign = what === 'buys' ? -1n : 1n;
      const [ofToken, ofStable] = [sign * units(amount!), -sign * units(usd!)];
      const [amount0, amount1] = TOKENS[name!]! < STABLE ? [ofToken, ofStable] : [ofStable, ofToken];
      push({ kind: 'swap', pool: POOLS[name!], amount0, amount1, sender: id(1), recipient: wallet, after: null });
      const [from, to] = what === 'buys' ? [POOLS[name!], wallet] : [wallet, POOLS[name!]];
      push({ kind: 'transfer', token: TOKENS[name!], from, to, amount: units(amount!) });
    } else if (row['What happens'] === 'the pool of W is emptied') reserves('W', 1, 10);
  }
  const record = (token: string) => ({ token, decimals: 6, symbol: null, name: null, totalSupply: null });
  const pool = (name: string): PoolRecord => ({
    ...{
      pool: POOLS[name]!,
      venue: 'uniswap-v2',
      kind: 'constant-product',
      feePpm: 3000,
      tickSpacing: 0,
      created: true,
    },
    ...(TOKENS[name]! < STABLE ? { token0: TOKENS[name]!, token1: STABLE } : { token0: STABLE, token1: TOKENS[name]! }),
  });
  const time = DAY_1 + (Number(rows[0]!.Day) - 1) * DAY + DAY / 2 + height;
  return {
    ...{
      kind: 'block',
      chain: 'eth',
      epoch: 1,
      seq: height,
      height,
      hash: id(height, 32),
      parentHash: id(height - 1 || 0xff, 32),
    },
    ...{ time, source: 'http', observedAt: time, events, anchors: [] },
    txs: [{ id: id(0x1000 + height, 32), index: 0, sender: WALLETS[rows[0]!.Wallet!] ?? id(1) }],
    tokens: height === 1 ? [COIN, STABLE, ...Object.values(TOKENS)].map(record) : [],
    pools: height === 1 ? [pool('T'), pool('W')] : [],
  };
}

describe('the ledger of docs/profit.md', () => {
  const spec = chainSpec('eth')!;
  const chain = {
    ...spec,
    wrappedNative: { token: COIN, symbol: 'COIN', decimals: 18 },
    stables: [{ token: STABLE, symbol: 'USD', decimals: 6 }],
  };
  const facts: FactsGroup[] = foldAll(ledgerGroups());
  const { formatAddress } = chain.ids;
  /** Blocks of a day are a millisecond apart. */
  const seconds = (value: number): number => Math.round(value);
  const cellValue = (text: string): number | null => (text === 'null' ? null : Number(text));
  let harness: ApiHarness;

  beforeAll(async () => {
    harness = await ApiHarness.start({ chain, facts });
    await harness.advance(facts.length - 1, 6);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  it('has the lots and profits of every step', () => {
    const newest = new Map<string, Position>();
    let compared = 0;
    for (const group of facts) {
      if (group.kind !== 'block') continue;
      const before = new Map(newest);
      for (const row of group.positions ?? []) newest.set(`${row.wallet} ${row.token}`, row);
      for (const row of steps.filter(({ Block, Wallet }) => Number(Block) === group.height && Wallet !== '')) {
        const token = TOKENS[/\d+ (\w)/.exec(row['What happens']!)![1]!]!;
        const key = `${WALLETS[row.Wallet!]} ${token}`;
        const position = newest.get(key)!;
        const profit = (of: Position | undefined): number =>
          of === undefined ? 0 : toDisplayNumber(of.gainUsd - of.lossUsd, 18);
        expect({
          block: row.Block,
          held: formatDecimal(position.amount, 6),
          priced: formatDecimal(position.priced, 6),
        }).toEqual({
          ...{ block: row.Block, held: row.Held, priced: row['With a cost'] },
        });
        expect(toDisplayNumber(position.costUsd, 18)).toBe(Number(row.Cost));
        expect(profit(position) - profit(before.get(key))).toBe(Number(row.Profit || 0));
        compared++;
      }
    }
    expect(compared).toBe(12);
  });

  it('is what the positions route answers', async () => {
    let compared = 0;
    for (const column of Object.keys(positions[0]!).slice(1)) {
      const [wallet, name] = column.split(', ') as [string, string];
      const path = `/tokens/eth/${formatAddress(TOKENS[name]!)}/positions?wallets=${formatAddress(WALLETS[wallet]!)}`;
      const { data } = await harness.documented(path, 'PositionsAnswer');
      const row = { ...data[0], balance: Number(data[0].balance), holdingSeconds: seconds(data[0].holdingSeconds) };
      for (const { Field, [column]: cell } of positions) {
        expect({ column, [Field!]: row[Field!] }).toEqual({ column, [Field!]: cellValue(cell!) });
        compared++;
      }
    }
    expect(compared).toBe(45);
  });

  it('is what the pnl route answers, day by day and in sum', async () => {
    const range = `from=${DAY_1}&to=${DAY_1 + 7 * DAY}`;
    const { data } = await harness.documented(
      `/wallets/eth/${formatAddress(WALLETS.A!)}/pnl?${range}`,
      'WalletProfitAnswer',
    );
    const { series, summary } = data;
    expect(series).toEqual(
      days.map(({ Day, ...cells }) => ({
        time: DAY_1 + (Number(Day) - 1) * DAY,
        ...Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cellValue(cell)])),
      })),
    );
    const shown = { ...summary, holdingSeconds: seconds(summary.holdingSeconds) };
    for (const { Sum, A } of sums) expect({ [Sum!]: shown[Sum!] }).toEqual({ [Sum!]: cellValue(A!) });
    expect(sums.length).toBe(12);
    const top = await harness.documented('/wallets/top?window=30d', 'TopWalletsAnswer');
    expect(top.data.map(({ wallet }: { wallet: string }) => wallet)).toEqual(
      [WALLETS.A!, WALLETS.B!].map(formatAddress),
    );
    expect(top.data[0]).toMatchObject({ realizedUsd: 25, buys: 3, sells: 3, unpricedPercent: 25 });
    for (const row of top.data) {
      const holdings = await harness.documented(`/wallets/eth/${row.wallet}/holdings`, 'HoldingsAnswer');
      const worth = holdings.data.reduce((sum: number, { valueUsd }: { valueUsd: number }) => sum + valueUsd, 0);
      // Null where nothing is known of what it holds: no transfer of the stable is in the ledger.
      expect(row.valueUsd ?? 0).toBeCloseTo(worth, 9);
      const exit = holdings.data.reduce((sum: number, { exitUsd }: { exitUsd: number }) => sum + exitUsd, 0);
      expect(row.exitUsd ?? 0).toBeCloseTo(exit, 9);
    }
    expect(top.data.some(({ valueUsd }: { valueUsd: number }) => valueUsd > 0)).toBe(true);
  });
});
