import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import {
  addLiquidity,
  bufferOf,
  idOf,
  initPool,
  type PoolKeys,
  poolAccounts,
  poolKeys,
  swapExactIn,
  swapExactOut,
} from '#programs/client.js';
import { readPoolEvent } from '#programs/test/pool-data.js';
import { SvmWorld, type Wallet } from '#programs/test/svm-world.js';
import { tidepoolAmmPools } from './quote.js';

/**
 * Quotes compared with the program itself, run in the virtual machine: same amounts to the unit, refused where it
 * refuses.
 */
const MAX = 2n ** 64n - 1n;
const TOKEN_ID = idOf(TOKEN_PROGRAM);
const NOW = { slot: 1n, unixTime: 1n };
const base58 = (id: Hex): string => encodeBase58(bufferOf(id));

let world: SvmWorld;
let amm: Hex;
let user: Wallet;

beforeAll(async () => {
  world = await SvmWorld.start();
  amm = await world.deploy('amm');
  user = await world.wallet();
});

/** Log-uniform in [1, 2^bits). */
function amount(random: SeededRandom, bits: number): bigint {
  const top = 1n << BigInt(random.below(bits));
  return top + (BigInt(random.below(2 ** 31)) * top) / 2n ** 31n;
}

interface Placed {
  keys: PoolKeys;
  userA: Hex;
  userB: Hex;
  known(): KnownAccounts;
}

async function placed(feeBps: number): Promise<Placed> {
  const [x, y] = [await world.mint(), await world.mint()];
  const keys = poolKeys(amm, x, y, world.payer.id, feeBps);
  await world.ok(initPool(amm, world.payer.id, keys));
  const { id } = user;
  const [userA, userB] = [await world.token(keys.mintA, id, MAX / 4n), await world.token(keys.mintB, id, MAX / 4n)];
  const userShares = await world.token(keys.shareMint, id);
  await world.ok(addLiquidity(amm, keys, { user: id, userA, userB, userShares }, 1_000_000n, 1_000_000n, 1n));
  const known = (): KnownAccounts =>
    new Map(
      [keys.id, keys.vaultA, keys.vaultB].map((each) => [
        base58(each),
        { owner: each === keys.id ? base58(amm) : TOKEN_PROGRAM, lamports: 1n, data: world.data(each)! },
      ]),
    );
  return { keys, userA, userB, known };
}

/** Writes a balance past the rules. */
function hold(account: Hex, units: bigint): void {
  const data = world.data(account)!;
  data.writeBigUInt64LE(units, 64);
  world.put(account, TOKEN_ID, data);
}

const read = ({ keys, known }: Placed): SolanaPoolState =>
  tidepoolAmmPools(base58(amm)).read(base58(keys.id), known(), NOW)!;

test('random pools and amounts: what the program moves is what the quote says', async () => {
  await withSeed('pools', async (random) => {
    let [taken, refused] = [0, 0];
    for (let pool = 0; pool < scaled(60, 4); pool++) {
      const place = await placed(random.pick([0, 1, 25, 30, 100, 999, 1000]));
      const { keys, userA, userB } = place;
      for (let trade = 0; trade < 25; trade++) {
        const bits = random.pick([8, 24, 40, 62]);
        hold(keys.vaultA, amount(random, bits));
        hold(keys.vaultB, amount(random, bits));
        hold(userA, MAX / 2n);
        hold(userB, MAX / 2n);
        const state = read(place);
        const aToB = random.below(2) === 0;
        const places = poolAccounts(keys, aToB ? keys.mintA : keys.mintB);
        const trader = { user: user.id, userIn: aToB ? userA : userB, userOut: aToB ? userB : userA };
        const exactIn = random.below(2) === 0;
        const wanted = amount(random, bits + 1);
        const quote = exactIn ? state.exactIn(aToB, wanted) : state.exactOut(aToB, wanted);
        const call = exactIn
          ? swapExactIn(amm, places, trader, wanted, 0n)
          : swapExactOut(amm, places, trader, wanted, MAX);
        const done = await world.send(call);
        const where = `fee ${keys.feeBps}, ${state.reserveA} ${state.reserveB}, ${aToB ? 'A to B' : 'B to A'}, ${exactIn ? 'in' : 'out'} ${wanted}`;
        // A wallet that lacks the input is no affair of the pool.
        if (quote && quote.amountIn > MAX / 2n) continue;
        if (quote === null) {
          refused++;
          expect({ where, result: done.result }).not.toEqual({ where, result: 'ok' });
          continue;
        }
        taken++;
        const event = readPoolEvent(done.events[0] ?? Buffer.alloc(0));
        expect({ where, result: done.result }).toEqual({ where, result: 'ok' });
        expect({ where, ...event }).toMatchObject({ where, input: quote.amountIn, output: quote.amountOut });
        if (exactIn) continue;
        expect({ where, gives: state.exactIn(aToB, quote.amountIn)!.amountOut >= wanted }).toEqual({
          where,
          gives: true,
        });
        const less = state.exactIn(aToB, quote.amountIn - 1n);
        expect({ where, least: less === null || less.amountOut < wanted }).toEqual({ where, least: true });
      }
    }
    expect(taken).toBeGreaterThan(refused / 4);
    expect(refused).toBeGreaterThan(0);
  });
});

test('identity, needed accounts, price and fee; what is no pool of the program is none', async () => {
  const place = await placed(30);
  const { keys, known } = place;
  const venue = tidepoolAmmPools(base58(amm));
  const ids = { mintA: keys.mintA, mintB: keys.mintB, vaultA: keys.vaultA, vaultB: keys.vaultB };
  expect(venue.identity(world.data(keys.id)!)).toEqual({
    ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, base58(id)])),
    feePpm: 3000,
    spacing: 0,
  });
  const address = base58(keys.id);
  const all = known();
  const only = new Map([[address, all.get(address)!]]);
  expect(venue.needs(address, new Map())).toEqual([]);
  expect(venue.needs(address, only)).toEqual([base58(keys.vaultA), base58(keys.vaultB)]);
  expect(venue.read(address, only, NOW)).toBeNull();
  hold(keys.vaultA, 3_000_000n);
  const state = read(place);
  expect(state.spot).toEqual({ numerator: state.reserveB, denominator: state.reserveA });
  expect(state.exactIn(true, 10_000n)).toEqual({
    amountIn: 10_000n,
    amountOut: (1_000_000n * 9970n) / 3_009_970n,
    fee: 30n,
    feeSide: 'input',
  });
  for (const none of [0n, -1n, MAX + 1n]) {
    expect([state.exactIn(true, none), state.exactOut(false, none)]).toEqual([null, null]);
  }
  const pool = all.get(address)!;
  const vault = all.get(base58(keys.vaultA))!;
  const frozen = Buffer.from(vault.data);
  frozen[108] = 2;
  const changes: [string, Partial<typeof pool>][] = [
    [address, { owner: TOKEN_PROGRAM }],
    [address, { data: pool.data.subarray(1) }],
    [base58(keys.vaultA), { owner: base58(amm) }],
    [base58(keys.vaultA), { data: all.get(base58(keys.vaultB))!.data }],
    [base58(keys.vaultA), { data: frozen }],
  ];
  for (const [key, change] of changes) {
    expect(venue.read(address, new Map([...all, [key, { ...all.get(key)!, ...change }]]), NOW)).toBeNull();
  }
  expect(venue.identity(world.data(keys.vaultA)!)).toBeNull();
});
