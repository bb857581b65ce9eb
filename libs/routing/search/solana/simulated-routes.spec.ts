import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { LOCAL_LAUNCHPAD_ID } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { signTransaction } from '#libs/devkit/devnet/solana/market/sign-transaction.js';
import { associated } from '#libs/devkit/devnet/solana/market/token-calls.js';
import { routedSwap, type Site, type TradeStep } from '#libs/devkit/devnet/solana/market/trade-calls.js';
import { rpcCall } from '#libs/devkit/devnet/solana/test/rpc-call.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import { bookOf, hexOf, localSources, nodesAt } from '#libs/routing/pools/solana/test/local-pools.js';
import { type CurveKeys, curveKeys, type PoolKeys, readRouteEvent, WRAPPED_MINT } from '#programs/client.js';
import { readCurve } from '#programs/launchpad-client.js';
import { readAmmPool } from '#programs/test/pool-data.js';
import type { SolanaRoute, SolanaRouteRequest } from './solana-route.js';
import { SolanaRouteFinder } from './solana-route-finder.js';

/** Routes over a local chain's pools and curves, compared with the swap program, run on the very slot of their quotes. */
const HELD = 1n << 60n;
const RENT = 2_039_280n;
const TOKEN_BYTES = 165;
const U64_MAX = (1n << 64n) - 1n;

const random = new SeededRandom(testSeed(3));
const user = new SeededKey('tidepool route tester');
let market: MarketRunner;
let mints: string[] = [];

beforeAll(async () => {
  market = await MarketRunner.start({ seed: 3, historyBlocks: 60, historySeconds: 3600, autoSlots: false });
  const { pools, curves } = market.contents();
  const named = [
    ...pools.flatMap(({ mintA, mintB }) => [mintA, mintB]),
    ...curves.flatMap((each) => [each.mint, each.quoteMint]),
  ];
  mints = [...new Set(named)].map(hexOf).sort();
  market.chain.airdrop(solanaIds.formatAddress(user.id), 100_000_000_000n);
  for (const mint of mints) hold(mint);
  market.slot({ traders: false });
});

afterAll(() => market.chain.stop());

/** A token account with plenty, past the rules. */
function hold(mint: string): void {
  const data = Buffer.alloc(TOKEN_BYTES);
  data.set(Buffer.from(mint, 'hex'));
  data.set(Buffer.from(user.id, 'hex'), 32);
  data.writeBigUInt64LE(HELD, 64);
  data[108] = 1;
  const isCoin = mint === WRAPPED_MINT;
  if (isCoin) {
    data.writeUInt32LE(1, 109);
    data.writeBigUInt64LE(RENT, 113);
  }
  const account = {
    owner: TOKEN_PROGRAM,
    lamports: RENT + (isCoin ? HELD : 0n),
    data,
    executable: false,
    rentEpoch: U64_MAX,
  };
  const address = solanaIds.formatAddress(associated(user.id, { id: mint, program: hexOf(TOKEN_PROGRAM) }));
  market.chain.edit({ kind: 'account', address, account });
}

/** Where a hop trades, as the chain has it. */
function siteOf(pool: string, venue: string): Site {
  const data = market.chain.account(solanaIds.formatAddress(pool))!.data;
  if (venue === 'tidepool-amm') return { pool: readAmmPool(pool, data) as PoolKeys };
  const { mint, quoteMint } = readCurve(pool, data)!;
  return { curve: curveKeys(LOCAL_LAUNCHPAD_ID, mint, quoteMint) as CurveKeys };
}

const mintRef = (id: string) => ({ id, decimals: 0, program: hexOf(TOKEN_PROGRAM) });

/** The route in a simulated transaction on the newest block: the event that the swap program writes, or its error. */
async function simulate({ hops }: SolanaRoute, { exact, amount }: SolanaRouteRequest) {
  const steps = hops.map(({ pool, zeroForOne }): TradeStep => {
    const [mintIn, mintOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    return { site: siteOf(pool.id, pool.venue), mintIn: mintRef(mintIn), mintOut: mintRef(mintOut) };
  });
  const mode = exact === 'in' ? ('exactIn' as const) : ('exactOut' as const);
  const limit = exact === 'in' ? 1n : HELD;
  const instruction = routedSwap({ user: user.id, mode, amount, limit, legs: [{ shareBps: 10_000, steps }] });
  const order = { version: 0 as const, payer: user, instructions: [instruction] };
  const wire = Buffer.from(signTransaction(order, market.chain.blockhash())).toString('base64');
  const config = { encoding: 'base64', commitment: 'processed' };
  const { result, error } = await rpcCall(market.chain.rpcUrl, 'simulateTransaction', wire, config);
  if (error !== undefined) throw new Error(error.message);
  const { err, logs } = result.value as { err: unknown; logs: string[] };
  const events = logs
    .filter((line) => line.startsWith('Program data: '))
    .map((line) => Buffer.from(line.slice(14), 'base64'));
  const event = err === null ? readRouteEvent(events.at(-1)!) : null;
  return { slot: result.context.slot as number, err, event };
}

test('routes give in a simulated transaction at their slot what they say, to the unit', async () => {
  const nodes = nodesAt(market.chain.rpcUrl);
  const log = bookOf(market.contents());
  const book = new AccountBook({ venues: localSources, nodes, pools: () => log, commitment: 'processed' });
  const finder = new SolanaRouteFinder(book);
  const seen: Record<string, number> = {};
  const venues = new Set(localSources.map(({ venue }) => venue));
  for (let slot = 0; slot < scaled(60, 8); slot++) {
    market.slot();
    await book.refresh(new AbortController().signal);
    for (let n = 0; n < 24; n++) {
      const tokenIn = random.pick(mints);
      const request: SolanaRouteRequest = {
        tokenIn,
        tokenOut: random.pick(mints.filter((mint) => mint !== tokenIn)),
        exact: random.chance(0.5) ? 'in' : 'out',
        amount: BigInt(Math.floor(random.spread(1, 1e12))),
        maxHops: random.pick([1, 2, 3, 3] as const),
        venues,
        mixVenues: true,
      };
      const answer = finder.find(request);
      seen[answer.kind] = (seen[answer.kind] ?? 0) + 1;
      if (answer.kind !== 'route') continue;
      const { route } = answer;
      if (route.amountIn > HELD / 2n) continue;
      const { slot: at, err, event } = await simulate(route, request);
      const where = {
        tokenIn,
        exact: request.exact,
        amount: request.amount,
        hops: route.hops.map(({ pool }) => pool.venue),
      };
      expect(new Set([at, ...route.hops.map(({ pool }) => book.pool(pool.id)!.slot)]).size).toBe(1);
      expect({ ...where, err, in: event?.amountIn, out: event?.amountOut }).toEqual({
        ...where,
        err: null,
        in: route.amountIn,
        out: request.exact === 'in' ? route.amountOut : request.amount,
      });
      const mixed = new Set(route.hops.map(({ pool }) => pool.venue)).size > 1 ? 'mixed' : 'plain';
      const kind = `${request.exact} ${route.hops.length} ${mixed}`;
      seen[kind] = (seen[kind] ?? 0) + 1;
    }
  }
  console.log(JSON.stringify(Object.fromEntries(Object.entries(seen).sort())));
  for (const kind of ['in 1 plain', 'in 2 plain', 'out 1 plain', 'out 2 plain'])
    expect(seen[kind] ?? 0).toBeGreaterThan(2);
  expect(Object.keys(seen).some((kind) => kind.endsWith('mixed'))).toBe(true);
  expect(Object.keys(seen).some((kind) => kind.startsWith('in 3'))).toBe(true);
  await nodes.close();
});
