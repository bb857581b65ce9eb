import { readFileSync } from 'node:fs';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { parseDecimal } from '#libs/core/money.js';
import { foldAll } from '#libs/devkit/testing/market/market-harness.js';
import type { BlocksGroup, ChainEvent, EpochGroup, PoolRecord } from '#libs/protocol/blocks.js';
import { ApiHarness } from './api-harness.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 4, 1);
const id = (n: number): string => n.toString(16).padStart(64, '0');
const [COIN, STABLE, T] = [id(0xc0), id(0xd1), id(0x70)];
const POOLS = { coin: id(0x80), token: id(0x81) };
const WALLETS: Record<string, string> = { A: id(0xaa), R: id(0xbb) };
const DECIMALS: Record<string, number> = { [COIN]: 9, [STABLE]: 6, [T]: 6 };

/** The table of docs/profit.md, hour by hour. */
const rows = readFileSync(new URL('../../../docs/profit.md', import.meta.url), 'utf8')
  .split('\n## ')
  .find((part) => part.startsWith('Fees, hour by hour'))!
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  ) as [string, string, string, string, string, string, string][];

function hourOf([hour, what, sender, fee, , price]: (typeof rows)[number]): BlocksGroup {
  const height = Number(hour);
  const events: ChainEvent[] = [];
  const push = (event: object): void => {
    events.push({ ...event, tx: 0, ordinal: events.length } as ChainEvent);
  };
  const units = (token: string, amount: number): bigint => parseDecimal(String(amount), DECIMALS[token]!);
  if (height === 1) {
    push({ kind: 'reserves', pool: POOLS.token, reserve0: units(T, 100_000), reserve1: units(STABLE, 100_000) });
  }
  for (const [, side, amount, usd] of what.matchAll(/(buys|sells) (\d+) T for (\d+) USD/g)) {
    const sign = side === 'buys' ? -1n : 1n;
    const [amount0, amount1] = [sign * units(T, Number(amount)), -sign * units(STABLE, Number(usd))];
    const wallet = WALLETS.A;
    push({ kind: 'swap', pool: POOLS.token, amount0, amount1, sender: wallet, recipient: wallet, after: null });
  }
  if (fee !== '') {
    const fees = parseDecimal(fee, 9);
    push({ kind: 'payment', wallet: WALLETS[sender], paid: 0n, fees });
  }
  push({
    kind: 'reserves',
    pool: POOLS.coin,
    reserve0: units(COIN, 1_000),
    reserve1: units(STABLE, 1_000 * Number(price)),
  });
  const pool = (address: string, token0: string): PoolRecord => ({
    ...{ pool: address, venue: 'tidepool-amm', kind: 'constant-product', token0, token1: STABLE },
    ...{ feePpm: 3000, tickSpacing: 0, created: true },
  });
  const record = (token: string) => {
    return { token, decimals: DECIMALS[token]!, symbol: null, name: null, totalSupply: null };
  };
  return {
    ...{ kind: 'block', chain: 'sol', epoch: 1, seq: height, height, hash: id(0x1000 + height) },
    ...{ parentHash: id(0xfff + height), time: START + (height - 1) * HOUR, source: 'http', observedAt: 0 },
    txs: [{ id: id(0x2000 + height), index: 0, sender: WALLETS[sender]! }],
    tokens: height === 1 ? [COIN, STABLE, T].map(record) : [],
    pools: height === 1 ? [pool(POOLS.coin, COIN), pool(POOLS.token, T)] : [],
    ...{ events, anchors: [] },
  };
}

it('the fees of docs/profit.md are what the routes answer, hour by hour and in sum', async () => {
  const first: EpochGroup = {
    ...{
      kind: 'epoch',
      chain: 'sol',
      epoch: 1,
      seq: 0,
      height: 0,
      hash: id(0x1000),
      parentHash: '',
      time: START - HOUR,
    },
    reference: {
      ...{ family: 'solana', genesisHash: id(0xfe), startHeight: 0, decoderVersion: 1, stables: [STABLE] },
      coin: { token: COIN, symbol: 'COIN', decimals: 9 },
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    },
  };
  const spec = chainSpec('sol')!;
  const chain = {
    ...spec,
    wrappedNative: { token: COIN, symbol: 'COIN', decimals: 9 },
    stables: [{ token: STABLE, symbol: 'USD', decimals: 6 }],
  };
  const facts = foldAll([first, ...rows.map(hourOf)]);
  const harness = await ApiHarness.start({ chain, facts });
  await harness.advance(facts.length - 1, 4);
  const wallet = chain.ids.formatAddress(WALLETS.A!);
  const pnl = async (hours: number) =>
    (
      await harness.documented(
        `/wallets/sol/${wallet}/pnl?interval=1h&from=${START}&to=${START + hours * HOUR}`,
        'WalletProfitAnswer',
      )
    ).data;
  const value = (text: string): number | null => (text === 'null' ? null : Number(text));
  const { series, summary } = await pnl(rows.length);
  expect(series.map(({ feesUsd }: { feesUsd: number | null }) => feesUsd)).toEqual(rows.map((row) => value(row[6])));
  expect(rows.length).toBe(7);
  expect(summary.feesUsd).toBe(null);
  const known = rows.slice(0, -1).reduce((sum, row) => sum + value(row[6])!, 0);
  expect((await pnl(rows.length - 1)).summary.feesUsd).toBeCloseTo(known, 9);
  const top = await harness.documented('/wallets/top?window=24h', 'TopWalletsAnswer');
  expect(top.data).toMatchObject([{ wallet, feesUsd: null }]);
  expect(harness.problems).toEqual([]);
  await harness.close();
});
