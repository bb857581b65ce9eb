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
const WALLETS: Record<string, string> = { A: id(0xaa), B: id(0xab), C: id(0xac), F: id(0xaf), R: id(0xbb) };
const DECIMALS: Record<string, number> = { [COIN]: 9, [STABLE]: 6, [T]: 6 };
const units = (token: string, amount: string): bigint => parseDecimal(amount, DECIMALS[token]!);
const cellValue = (text: string): number | null => (text === 'null' ? null : Number(text));

/** The rows of the table under a heading of docs/profit.md that begin with an hour. */
function rowsUnder(heading: string): string[][] {
  const text = readFileSync(new URL('../../../docs/profit.md', import.meta.url), 'utf8');
  const rows = text
    .split('\n## ')
    .find((part) => part.startsWith(heading))!
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

interface Step {
  hour: number;
  what: string;
  sender: string;
  fee?: string;
  /** Of the coin at the end of the block. */
  price?: string;
}

function blockOf({ hour, what, sender, fee = '', price = '100' }: Step, index: number): BlocksGroup {
  const height = index + 1;
  const events: ChainEvent[] = [];
  const push = (event: object): void => {
    events.push({ ...event, tx: 0, ordinal: events.length } as ChainEvent);
  };
  if (height === 1) {
    const [reserve0, reserve1] = [units(T, '100000'), units(STABLE, '100000')];
    push({ kind: 'reserves', pool: POOLS.token, reserve0, reserve1 });
  }
  const actor = WALLETS[/^([A-Z]) /.exec(what)?.[1] ?? 'A']!;
  for (const [, side, amount, usd] of what.matchAll(/(buys|sells) (\d+) T for (\d+) USD/g)) {
    const sign = side === 'buys' ? -1n : 1n;
    const [amount0, amount1] = [sign * units(T, amount!), -sign * units(STABLE, usd!)];
    push({ kind: 'swap', pool: POOLS.token, amount0, amount1, sender: actor, recipient: actor, after: null });
    const [from, to] = side === 'buys' ? [POOLS.token, actor] : [actor, POOLS.token];
    push({ kind: 'transfer', token: T, from, to, amount: units(T, amount!) });
  }
  if (fee !== '') push({ kind: 'payment', wallet: WALLETS[sender], paid: 0n, fees: parseDecimal(fee, 9) });
  const sent = /sends (\d+) USD to (\w)/.exec(what);
  if (sent !== null) {
    const amount = units(STABLE, sent[1]!);
    push({ kind: 'transfer', token: STABLE, from: actor, to: WALLETS[sent[2]!], amount });
  } else {
    const [reserve0, reserve1] = [units(COIN, '1000'), 1_000n * units(STABLE, price)];
    push({ kind: 'reserves', pool: POOLS.coin, reserve0, reserve1 });
  }
  const pool = (address: string, token0: string): PoolRecord => ({
    ...{ pool: address, venue: 'tidepool-amm', kind: 'constant-product', token0, token1: STABLE },
    ...{ feePpm: 3000, tickSpacing: 0, created: true },
  });
  const record = (token: string) => {
    return { token, decimals: DECIMALS[token]!, symbol: null, name: null, totalSupply: null };
  };
  return {
    ...{ kind: 'block', chain: 'sol', epoch: 1, seq: height, height, hash: id(0x1000 + height) },
    ...{ parentHash: id(0xfff + height), time: START + (hour - 1) * HOUR + height, source: 'http', observedAt: 0 },
    txs: [{ id: id(0x2000 + height), index: 0, sender: WALLETS[sender]! }],
    tokens: height === 1 ? [COIN, STABLE, T].map(record) : [],
    pools: height === 1 ? [pool(POOLS.coin, COIN), pool(POOLS.token, T)] : [],
    ...{ events, anchors: [] },
  };
}

const spec = chainSpec('sol')!;
const chain = {
  ...spec,
  wrappedNative: { token: COIN, symbol: 'COIN', decimals: 9 },
  stables: [{ token: STABLE, symbol: 'USD', decimals: 6 }],
};
const address = (wallet: string): string => chain.ids.formatAddress(WALLETS[wallet]!);

async function serve(steps: readonly Step[], use: (harness: ApiHarness) => Promise<void>): Promise<void> {
  const origin = { height: 0, hash: id(0x1000), parentHash: '', time: START - HOUR };
  const first: EpochGroup = {
    ...{ kind: 'epoch', chain: 'sol', epoch: 1, seq: 0, ...origin },
    reference: {
      ...{ family: 'solana', genesisHash: id(0xfe), startHeight: 0, decoderVersion: 1, stables: [STABLE] },
      coin: { token: COIN, symbol: 'COIN', decimals: 9 },
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    },
  };
  const facts = foldAll([first, ...steps.map(blockOf)]);
  const harness = await ApiHarness.start({ chain, facts });
  try {
    await harness.advance(facts.length - 1, 4);
    await use(harness);
    expect(harness.problems).toEqual([]);
  } finally {
    await harness.close();
  }
}

const pnl = async (harness: ApiHarness, wallet: string, from: number, to: number) => {
  const range = `interval=1h&from=${START + from * HOUR}&to=${START + to * HOUR}`;
  return (await harness.documented(`/wallets/sol/${address(wallet)}/pnl?${range}`, 'WalletProfitAnswer')).data;
};

it('fees are what docs/profit.md says, hour by hour and in sum', async () => {
  const rows = rowsUnder('Fees, hour by hour') as [string, string, string, string, string, string, string][];
  const steps = rows.map(([hour, what, sender, fee, , price]) => ({ hour: Number(hour), what, sender, fee, price }));
  await serve(steps, async (harness) => {
    for (const [hour, , , , , , fees] of rows) {
      const { summary } = await pnl(harness, 'A', Number(hour) - 1, Number(hour));
      expect({ hour, fees: summary.feesUsd }).toEqual({ hour, fees: cellValue(fees) });
    }
    expect(rows.length).toBe(7);
    expect((await pnl(harness, 'A', 0, 7)).summary.feesUsd).toBe(null);
    const known = rows.slice(0, -1).reduce((sum, row) => sum + cellValue(row[6])!, 0);
    expect((await pnl(harness, 'A', 0, 6)).summary.feesUsd).toBeCloseTo(known, 9);
    const top = await harness.documented('/wallets/top?window=24h', 'TopWalletsAnswer');
    expect(top.data).toMatchObject([{ wallet: address('A'), feesUsd: null }]);
  });
});

it('profits of wallets of one funder are what docs/profit.md says, and leave them their rank', async () => {
  const rows = rowsUnder('Linked wallets, step by step') as [string, string, string, string][];
  const steps = rows.map(([hour, what]) => ({ hour: Number(hour), what, sender: /^[A-Z]/.exec(what)?.[0] ?? 'R' }));
  await serve(steps, async (harness) => {
    const top = await harness.documented('/wallets/top?window=24h', 'TopWalletsAnswer');
    const sums = new Map<string, { realized: number; linked: number }>();
    for (const [, what, profit, linked] of rows) {
      const of = sums.get(what[0]!) ?? { realized: 0, linked: 0 };
      sums.set(what[0]!, { realized: of.realized + Number(profit), linked: of.linked + Number(linked) });
    }
    const traders = [...sums].filter(([wallet]) => 'ABC'.includes(wallet));
    traders.sort(([, a], [, b]) => b.realized - b.linked - a.realized + a.linked);
    expect(top.data).toMatchObject(
      traders.map(([wallet, { realized, linked }]) => ({
        ...{ wallet: address(wallet), realizedUsd: realized },
        linkedPercent: realized === 0 ? null : expect.closeTo((100 * linked) / realized, 5),
      })),
    );
    expect(top.data.map(({ wallet }: { wallet: string }) => wallet)).toEqual(['C', 'A', 'B'].map(address));
    const { summary } = await pnl(harness, 'A', 0, 4);
    expect({ ...summary }).toMatchObject({ realizedUsd: 295, linkedPercent: expect.closeTo((100 * 160) / 295, 5) });
  });
});
