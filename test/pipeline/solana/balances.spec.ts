import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { PositionsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import { BusyMarket } from './busy-market.js';
import { readTruth } from './chain-truth.js';
import { SolanaPipeline } from './solana-pipeline.js';
import { heldByOwner } from './truth-checks.js';

/** Holdings and positions of every owner of a local Solana chain, wrapped SOL included, compared with its token accounts. */
const seed = testSeed();
const MOVES = Math.max(60, Math.round(240 * scale));
const LIMIT_MS = 240_000 + MOVES * 2_000;

let market: BusyMarket;
let pipeline: SolanaPipeline;

beforeAll(async () => {
  market = await BusyMarket.start(seed, Math.max(60, Math.round(200 * scale)));
  pipeline = await SolanaPipeline.open(market, seed);
}, LIMIT_MS);

afterAll(async () => {
  await pipeline?.close();
  await market?.stop();
}, LIMIT_MS);

/** Of the tokens that the index knows, which it meets with their first pool. */
async function decimalsOf(mints: readonly Hex[]): Promise<Map<Hex, number>> {
  const known = new Map<Hex, number>();
  for (const mint of mints) {
    const path = `/tokens/sol/${solanaIds.formatAddress(mint)}`;
    if ((await pipeline.client.status(path)) !== 200) continue;
    known.set(mint, (await pipeline.client.get<TokenAnswer>(path)).data.decimals!);
  }
  return known;
}

/** Counts the balances that were compared. */
async function compare(): Promise<{ holdings: number; positions: number; wrapped: number }> {
  await pipeline.quiet();
  const { client } = pipeline;
  const truth = await readTruth(market.rpcUrl);
  const held = new Map<Hex, Map<Hex, bigint>>();
  for (const owner of truth.named) held.set(owner, await heldByOwner(market.rpcUrl, owner));
  const mints = [...new Set([...held.values()].flatMap((own) => [...own.keys()]))];
  const decimals = await decimalsOf(mints);
  const counted = { holdings: 0, positions: 0, wrapped: 0 };
  for (const [owner, own] of held) {
    const path = `/wallets/sol/${solanaIds.formatAddress(owner)}/holdings?limit=200`;
    const rows = (await client.pages<HoldingsAnswer>(path)).flatMap(({ data, meta }) => {
      expect(meta.blockHash).toBe(solanaIds.formatAddress(truth.head.hash));
      return data;
    });
    expect({ seed, owner, rows: rows.map(({ token, amount }) => `${token} ${amount}`).sort() }).toEqual({
      ...{ seed, owner },
      rows: [...own]
        .map(([mint, amount]) => `${solanaIds.formatAddress(mint)} ${formatDecimal(amount, decimals.get(mint) ?? 0)}`)
        .sort(),
    });
    counted.holdings += rows.length;
    counted.wrapped += Number(own.has(sol.wrappedNative.token));
  }
  const owners = [...truth.named];
  for (const [mint, places] of decimals) {
    for (let from = 0; from < owners.length; from += 10) {
      const wallets = owners.slice(from, from + 10);
      const path = `/tokens/sol/${solanaIds.formatAddress(mint)}/positions?wallets=${wallets.map(solanaIds.formatAddress)}`;
      const { data } = await client.get<PositionsAnswer>(path);
      const found = data.map(({ balance, balanceUnknown }) => [balance, balanceUnknown]);
      expect({ seed, mint, wallets, found }).toEqual({
        ...{ seed, mint, wallets },
        found: wallets.map((owner) => [formatDecimal(held.get(owner)!.get(mint) ?? 0n, places), null]),
      });
      counted.positions += data.length;
    }
  }
  expect(pipeline.errors).toEqual([]);
  return counted;
}

it(
  `balances of a local Solana chain are those of the token accounts, through forks (seed ${seed})`,
  async () => {
    await compare();
    for (let n = 0; n < MOVES; n++) {
      if (n % 10 === 9) market.fork(1 + (n % 7));
      else market.move();
      if (n % 40 === 39) await compare();
    }
    const last = await compare();
    expect(Math.min(...Object.values(last))).toBeGreaterThan(0);
    expect(last.holdings).toBeGreaterThan(100);
  },
  LIMIT_MS,
);
