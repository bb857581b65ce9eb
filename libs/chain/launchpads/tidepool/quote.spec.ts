import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import {
  bufferOf,
  type CurveKeys,
  createCurve,
  curveAccounts,
  curveKeys,
  readCurve,
  readLaunchEvent,
  swapExactIn,
  swapExactOut,
  TOKEN_PROGRAM_ID,
} from '#programs/client.js';
import { SvmWorld, type Wallet } from '#programs/test/svm-world.js';
import { tidepoolCurves } from './quote.js';

/**
 * Quotes compared with the program itself, run in the virtual machine: same amounts to the unit, refused where it
 * refuses.
 */
const MAX = 2n ** 64n - 1n;
const NOW = { slot: 1n, unixTime: 1n };
const base58 = (id: Hex): string => encodeBase58(bufferOf(id));

let world: SvmWorld;
let launchpad: Hex;
let quoteMint: Hex;
let user: Wallet;
let quote: Hex;

beforeAll(async () => {
  world = await SvmWorld.start();
  launchpad = await world.deploy('launchpad');
  user = await world.wallet();
  quoteMint = await world.mint(9);
  quote = await world.token(quoteMint, user.id, MAX / 2n);
});

async function launched(virtualQuote: bigint, feeBps: number): Promise<{ keys: CurveKeys; base: Hex }> {
  // Whatever was spent before, the user can pay for all of the next curve.
  const data = world.data(quote)!;
  data.writeBigUInt64LE(MAX / 2n, 64);
  world.put(quote, TOKEN_PROGRAM_ID, data);
  const mint = (await world.wallet(0n)).id;
  const keys = curveKeys(launchpad, mint, quoteMint);
  const texts = { name: 'Tide', symbol: 'TIDE', uri: '' };
  await world.ok(
    createCurve(launchpad, keys, { creator: world.payer.id, virtualQuote, feeBps, poolFeeBps: 25, ...texts }),
  );
  return { keys, base: await world.token(mint, user.id) };
}

function read({ id }: CurveKeys): SolanaPoolState | null {
  const account = { owner: base58(launchpad), lamports: 1n, data: world.data(id)! };
  return tidepoolCurves(base58(launchpad)).read(base58(id), new Map([[base58(id), account]]), NOW);
}

const CURVES = scaled(60, 5);
const MOST_CURVES = 100;

const fraction = (random: SeededRandom, of: bigint): bigint =>
  1n + (of * BigInt(random.below(2 ** 30))) / 2n ** BigInt(30 + random.below(20));

test('random curves and trades: what the program moves is what the quote says', async () => {
  await withSeed('curves', async (random) => {
    const met = { taken: 0, refused: 0, inPart: 0 };
    // What comes by chance may take a few curves more.
    const complete = (): boolean => Math.min(met.refused, met.inPart) > 0;
    for (let curve = 0; curve < CURVES || (!complete() && curve < MOST_CURVES); curve++) {
      const virtualQuote = random.pick([1_000_000n, 30_000_000_000n, 4_500_000_000n, 10n ** 18n]);
      const { keys, base } = await launched(virtualQuote, random.pick([0, 1, 100, 1000]));
      for (let trade = 0; trade < 25; trade++) {
        const state = read(keys);
        const sells = random.below(3) === 0;
        const exactIn = random.below(2) === 0;
        const wanted = sells === exactIn ? fraction(random, 10n ** 15n) : fraction(random, virtualQuote * 3n);
        const places = curveAccounts(keys, sells ? keys.mint : quoteMint);
        const trader = { user: user.id, userIn: sells ? base : quote, userOut: sells ? quote : base };
        const call = exactIn
          ? swapExactIn(launchpad, places, trader, wanted, 0n)
          : swapExactOut(launchpad, places, trader, wanted, MAX);
        const done = await world.send(call);
        const event = done.result === 'ok' ? readLaunchEvent(done.events[0]!) : null;
        const where = `${keys.id} ${sells ? 'sells' : 'buys'} ${exactIn ? 'in' : 'out'} ${wanted}`;
        if (state === null) {
          expect({ where, result: done.result }).toEqual({ where, result: 'curve.Complete' });
          break;
        }
        const expected = exactIn ? state.exactIn(sells, wanted) : state.exactOut(sells, wanted);
        if (expected === null) {
          // The program takes a part of a buy that is too large; a quote is for the whole of it.
          if (event?.kind === 'trade' && exactIn && !sells && event.input < wanted) met.inPart++;
          else {
            met.refused++;
            expect({ where, result: done.result }).not.toEqual({ where, result: 'ok' });
          }
          continue;
        }
        met.taken++;
        const { amountIn: input, amountOut: output, fee, feeSide } = expected;
        expect({ where, ...event }).toMatchObject({ where, kind: 'trade', input, output, fee });
        expect(feeSide).toBe(sells ? 'output' : 'input');
        if (exactIn) continue;
        const less = state.exactIn(sells, input - 1n);
        expect({ where, least: less === null || less.amountOut < wanted }).toEqual({ where, least: true });
      }
    }
    expect(met.taken).toBeGreaterThan(met.refused);
    expect(Math.min(met.refused, met.inPart)).toBeGreaterThan(0);
  });
});

test('identity, reserves and price; a curve that sold everything does not trade', async () => {
  const { keys, base } = await launched(30_000_000_000n, 100);
  const venue = tidepoolCurves(base58(launchpad));
  expect(venue.identity(world.data(keys.id)!)).toEqual({
    mintA: base58(keys.mint),
    mintB: base58(quoteMint),
    vaultA: base58(keys.baseVault),
    vaultB: base58(keys.quoteVault),
    feePpm: 10_000,
    spacing: 0,
  });
  expect(venue.needs(base58(keys.id), new Map())).toEqual([]);
  expect(venue.identity(world.data(keys.baseVault)!)).toBeNull();
  const fresh = read(keys)!;
  expect([fresh.reserveA, fresh.reserveB]).toEqual([793_100_000_000_000n, 0n]);
  expect(fresh.spot).toEqual({ numerator: 30_000_000_000n, denominator: 1_073_000_000_000_000n });
  const trader = { user: user.id, userIn: quote, userOut: base };
  const all = fresh.exactOut(false, fresh.reserveA)!;
  await world.ok(swapExactOut(launchpad, curveAccounts(keys, quoteMint), trader, fresh.reserveA, all.amountIn));
  expect(readCurve(keys.id, world.data(keys.id)!)!.status).toBe('complete');
  expect(read(keys)).toBeNull();
  const account = { owner: base58(quoteMint), lamports: 1n, data: world.data(keys.id)! };
  expect(venue.read(base58(keys.id), new Map([[base58(keys.id), account]]), NOW)).toBeNull();
});
