import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { type GenuineSwap, recordSwaps } from '#libs/chain/market-ports/solana/test/genuine-swaps.js';
import { reportSkipped } from '#libs/devkit/testing/requirements.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { HOP_UNITS, MAX_UNITS, ROUTE_UNITS } from '#programs/compute-units.js';
import { idOf } from '#programs/instruction.js';
import { readRouteEvent, type VenueKind, venueRoute } from '#programs/swap-client.js';
import { genuinePools } from './genuine-pools.js';
import { directCall, GenuineWorld, hopOf, missingProgram, text } from './genuine-world.js';

/**
 * The programs that venues have deployed, run in the virtual machine: what a quote says, what an instruction of the venue's
 * folder does through the swap program, and what reaches the user are the same, to the unit. The executables are not ours to
 * ship; without them a venue is skipped, whatever else must be there.
 */
const HELD = 1n << 62n;
/** Refusals of a program that a quote does not foretell; nothing moves then. */
const EXCUSES = [
  // Bounds of the published binary of 2024 that its source lost since: amounts, and arrays at the end of the range of ticks.
  { venue: 'raydium-clmm', log: 'Integer overflow when casting to u64' },
  { venue: 'raydium-clmm', log: 'Left: 443636' },
  // Limit orders of one bin, each rounded alone, do not add up to what the program asks for their sum.
  { venue: 'meteora-dlmm', log: 'Error Number: 6085' },
];

/** The next input of which a swap leaves something to the trader, where one of those after `amount` does. */
function notTakenWhole(state: SolanaPoolState, aToB: boolean, amount: bigint): bigint {
  for (let next = amount; next < amount + 500n; next++) {
    const swap = state.exactIn(aToB, next);
    if (swap !== null && swap.amountIn < next) return next;
  }
  return amount;
}

/** Some of each direction and side. */
const chosen = (swaps: readonly GenuineSwap[]): GenuineSwap[] =>
  [true, false].flatMap((aToB) =>
    (['in', 'out'] as const).flatMap((exact) =>
      swaps.filter(({ order }) => order.aToB === aToB && order.exact === exact).slice(0, 3),
    ),
  );

for (const [venue, poolOf] of genuinePools) {
  const module = solanaModule(venue)!;
  const missing = missingProgram(module.decoder.program);
  const name = `the genuine program of ${module.decoder.dex}`;
  if (missing !== null) reportSkipped(name, missing);
  (missing === null ? describe : describe.skip)(name, () => {
    it('moves what was quoted, through the swap program', async () => {
      const seed = testSeed(1);
      const random = new SeededRandom(seed);
      const genuine = await GenuineWorld.start(module);
      const { world, swap, user } = genuine;
      const differences: object[] = [];
      const recorded: GenuineSwap[] = [];
      const counts = { exactIn: 0, exactOut: 0, refused: 0, excused: 0, units: 0, rents: 0 };
      // A venue that the swap program cannot call is called itself.
      const isRouted = module.swapKind !== undefined;
      const reckoned = isRouted ? HOP_UNITS[module.swapKind as VenueKind] : { swap: MAX_UNITS - ROUTE_UNITS, step: 0 };
      const wanted = scaled(500, 60);
      for (let n = 0; n < 20 * wanted && counts.exactIn + counts.exactOut < wanted; n++) {
        const pool = poolOf(random);
        genuine.put(pool);
        const own = pool.mints.map((mint) => genuine.tokens(mint, HELD));
        for (let turn = 0; turn < 4; turn++) {
          const aToB = random.chance(0.5);
          const exact = random.pick(['in', 'out'] as const);
          const known = genuine.known(pool.address, pool.mints);
          const state = module.pools!.read(pool.address, known, genuine.moment, pool.mints);
          if (state === null) {
            counts.refused++;
            break;
          }
          const size = pool.sizes[aToB === (exact === 'in') ? 0 : 1]!;
          const bits = random.int(1, Math.max(1, size.toString(2).length));
          const usual = (BigInt(`0x${random.hex(8)}`) & ((1n << BigInt(bits)) - 1n)) + 1n;
          const drawn = pool.edges !== undefined && random.chance(0.2) ? random.pick(pool.edges) : usual;
          const amount = exact === 'in' && random.chance(0.5) ? notTakenWhole(state, aToB, drawn) : drawn;
          const quote = exact === 'in' ? state.exactIn(aToB, amount) : state.exactOut(aToB, amount);
          const units = ROUTE_UNITS + reckoned.swap + reckoned.step * (quote?.steps ?? 0);
          if (quote === null || quote.amountIn > HELD / 4n || units > MAX_UNITS) {
            counts.refused++;
            continue;
          }
          const [source, destination] = (aToB ? own : own.toReversed()) as [string, string];
          const limit = exact === 'in' ? quote.amountOut : quote.amountIn;
          const accounts = { inputAccount: source, outputAccount: destination };
          const trader = text(user.id);
          const order = { pool: pool.address, aToB, exact, amount, limit, ...accounts, trader };
          const call = module.instructions!.write(order, known, pool.mints);
          if (call === null) {
            counts.refused++;
            break;
          }
          const movesCoins = module.instructions!.movesCoins?.(pool.address, known) ?? false;
          const before = [genuine.held(source), genuine.held(destination)] as const;
          const rents = genuine.rentsDue(pool.address);
          const lamports = world.lamports(user.id);
          const routed = venueRoute(swap, {
            ...{ mode: exact === 'in' ? 'exactIn' : 'exactOut', user: user.id, amount, limit },
            ...{ source: idOf(source), destination: idOf(destination) },
            legs: [{ shareBps: 10_000, hops: [hopOf(call, destination, movesCoins)] }],
          });
          const done = await world.send(isRouted ? routed : directCall(call));
          const excuse = EXCUSES.find(
            ({ venue: of, log }) => of === venue && done.logs.some((line) => line.includes(log)),
          );
          if (excuse !== undefined) {
            counts.excused++;
            continue;
          }
          const moved = {
            amountIn: before[0] - genuine.held(source),
            amountOut: genuine.held(destination) - before[1],
          };
          const said = { amountIn: quote.amountIn, amountOut: quote.amountOut };
          const event = done.events.map(readRouteEvent).find((found) => found !== null);
          if (done.result !== 'ok' || moved.amountIn !== said.amountIn || moved.amountOut !== said.amountOut)
            differences.push({
              seed,
              n,
              turn,
              aToB,
              exact,
              amount,
              said,
              moved,
              result: done.result,
              logs: done.logs.slice(-6),
            });
          else {
            expect(lamports - world.lamports(user.id)).toBe(rents);
            counts.rents += rents === 0n ? 0 : 1;
            if (isRouted) expect([event?.amountIn, event?.amountOut]).toEqual([moved.amountIn, moved.amountOut]);
            recorded.push({ order, at: genuine.moment, known, mints: pool.mints, call, moved });
          }
          counts[exact === 'in' ? 'exactIn' : 'exactOut']++;
          counts.units = Math.max(counts.units, done.units);
          expect([done.units <= units, done.units, quote.steps]).toEqual([true, done.units, quote.steps]);
        }
      }
      if (process.env.TIDEPOOL_GENUINE_RECORD === '1') recordSwaps(venue, chosen(recorded));
      console.log(`${venue}, seed ${seed}: ${JSON.stringify(counts)}, ${differences.length} differ`);
      expect(differences.slice(0, 3)).toEqual([]);
      expect(Math.min(counts.exactIn, counts.exactOut)).toBeGreaterThan(5);
      expect(counts.excused).toBeLessThan(counts.exactIn + counts.exactOut);
    }, 600_000);
  });
}
