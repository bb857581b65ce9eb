import { createHash } from 'node:crypto';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { meteoraDbcLaunchpad } from '#libs/chain/launchpads/meteora-dbc/launchpad.js';
import { randomCurve } from '#libs/chain/launchpads/meteora-dbc/test/random-curve.js';
import { QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { readDammPool as readDamm } from '#libs/chain/venues/meteora-damm-v2/account.js';
import { randomPool } from '#libs/chain/venues/meteora-damm-v2/test/random-pool.js';
import { meteoraDammV2Venue } from '#libs/chain/venues/meteora-damm-v2/venue.js';
import { randomPair } from '#libs/chain/venues/meteora-dlmm/test/random-pair.js';
import { meteoraDlmmVenue } from '#libs/chain/venues/meteora-dlmm/venue.js';
import { oracleAddress, tickArrayAddress } from '#libs/chain/venues/orca-whirlpool/quote.js';
import * as whirlpool from '#libs/chain/venues/orca-whirlpool/test/pool-world.js';
import { orcaWhirlpoolVenue } from '#libs/chain/venues/orca-whirlpool/venue.js';
import * as clmmQuote from '#libs/chain/venues/raydium-clmm/quote.js';
import * as clmm from '#libs/chain/venues/raydium-clmm/test/pool-world.js';
import { raydiumClmmVenue } from '#libs/chain/venues/raydium-clmm/venue.js';
import * as cpmm from '#libs/chain/venues/raydium-cpmm/test/pool.js';
import { raydiumCpmmVenue } from '#libs/chain/venues/raydium-cpmm/venue.js';
import * as v4 from '#libs/chain/venues/raydium-v4/test/pool.js';
import { raydiumV4Venue } from '#libs/chain/venues/raydium-v4/venue.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { derive, idOf } from '#programs/instruction.js';
import type { GenuinePool } from './genuine-pool.js';
import { pumpFunCurve, pumpSwapPool } from './pump-pools.js';

/**
 * Pools in random states that the genuine programs take: what the generators of the venues' own specs leave out (owners of the
 * vaults, addresses that the programs sign for, accounts of observations) is put right here.
 */
const bytes = (address: string): Buffer => Buffer.from(decodeBase58(address)!);
const discriminator = (name: string): Buffer => createHash('sha256').update(`account:${name}`).digest().subarray(0, 8);
const pda = (program: string, ...seeds: Uint8Array[]): { address: string; bump: number } => {
  const { id, bump } = derive(idOf(program), ...seeds);
  return { address: encodeBase58(Buffer.from(id, 'hex')), bump };
};
const key = (random: SeededRandom): string => encodeBase58(Buffer.from(random.hex(32), 'hex'));
const account = (owner: string, data: Uint8Array): SolanaAccount => ({ owner, lamports: 10n ** 10n, data });
const vault = (mint: string, amount: bigint): SolanaAccount => {
  const data = Buffer.alloc(165);
  data.set(bytes(mint));
  data.writeBigUInt64LE(amount, 64);
  data[108] = 1;
  return account(TOKEN_PROGRAM, data);
};
/** A third of the mints are of Token-2022. */
const tokenPrograms = (random: SeededRandom): [string, string] => {
  const one = (): string => (random.chance(0.3) ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  return [one(), one()];
};
const flags = (programs: readonly string[]): number[] => programs.map((each) => (each === TOKEN_2022_PROGRAM ? 1 : 0));
const MOST_HELD = 1n << 60n;

/** Every occurrence of some addresses inside the accounts' data, and as the names of accounts, becomes another one. */
function renamed(accounts: Map<string, SolanaAccount | null>, names: ReadonlyMap<string, string>) {
  const out = new Map<string, SolanaAccount | null>();
  for (const [address, found] of accounts) {
    const data = found === null ? null : Buffer.from(found.data);
    for (const [from, to] of names) {
      if (data === null) break;
      for (let at = data.indexOf(bytes(from)); at >= 0; at = data.indexOf(bytes(from), at + 32))
        data.set(bytes(to), at);
    }
    out.set(names.get(address) ?? address, found === null || data === null ? null : { ...found, data });
  }
  return out;
}

function cpmmPool(random: SeededRandom): GenuinePool {
  const world = new QuoteWorld(random);
  const reserves: [bigint, bigint] = [world.amount(58), world.amount(58)];
  const owed = Array.from({ length: 6 }, (_, n) => (n < 4 ? world.amount(40) : 0n));
  const trade = random.chance(0.5) ? 2_500n : world.below(100_000n);
  // The published binary knows no creator's fee.
  const address = cpmm.poolIn(world, { reserves, owed, trade, enabled: false, creator: 0n });
  const { program } = raydiumCpmmVenue.decoder;
  const authority = pda(program, Buffer.from('vault_and_lp_mint_auth_seed'));
  const accounts = new Map(world.known);
  const data = Buffer.from(accounts.get(address)!.data);
  const [vault0, vault1, mint0, mint1, observation] = [72, 104, 168, 200, 296].map((at) =>
    encodeBase58(data.subarray(at, at + 32)),
  ) as [string, string, string, string, string];
  data[328] = authority.bump;
  const programs = tokenPrograms(random);
  data.set(Buffer.concat(programs.map(bytes)), 232);
  accounts.set(address, account(program, data));
  const noted = Buffer.alloc(4075);
  noted.set(discriminator('ObservationState'));
  noted.set(bytes(address), 11);
  accounts.set(observation, account(program, noted));
  return {
    ...{ module: raydiumCpmmVenue, address, accounts, mints: [mint0, mint1], vaults: [vault0, vault1], programs },
    ...{ authority: authority.address, at: { slot: 1_700_000_000n, unixTime: 1_700_000_000n }, sizes: reserves },
  };
}

function dammPool(random: SeededRandom): GenuinePool {
  const { data, point, bySlot, reserveA, reserveB } = randomPool(random);
  const { program } = meteoraDammV2Venue.decoder;
  const address = key(random);
  const pool = readDamm(data)!;
  const accounts = new Map<string, SolanaAccount | null>([[address, account(program, data)]]);
  accounts.set(pool.vaultA, vault(pool.mintA, MOST_HELD));
  accounts.set(pool.vaultB, vault(pool.mintB, MOST_HELD));
  const programs = tokenPrograms(random);
  data.set(flags(programs), 482);
  const other = point + (bySlot ? 7n : -7n);
  return {
    ...{ module: meteoraDammV2Venue, address, accounts, mints: [pool.mintA, pool.mintB], programs },
    ...{ vaults: [pool.vaultA, pool.vaultB], authority: pda(program, Buffer.from('pool_authority')).address },
    at: bySlot ? { slot: point, unixTime: other } : { slot: point + 9n, unixTime: point },
    sizes: [reserveA, reserveB],
  };
}

function v4Pool(random: SeededRandom): GenuinePool {
  const world = new QuoteWorld(random);
  const toTake: [bigint, bigint] = [world.amount(40), world.amount(40)];
  const [coin, pc] = [world.amount(58), world.amount(58)];
  const address = v4.poolIn(world, { coin: coin + toTake[0], pc: pc + toTake[1], toTake });
  const { program } = raydiumV4Venue.decoder;
  const accounts = new Map(world.known);
  const data = Buffer.from(accounts.get(address)!.data);
  const at = (offset: number): string => encodeBase58(data.subarray(offset, offset + 32));
  const authority = pda(program, Buffer.from('amm authority'));
  data.writeBigUInt64LE(BigInt(authority.bump), 8);
  accounts.set(address, account(program, data));
  return {
    ...{ module: raydiumV4Venue, address, accounts, mints: [at(400), at(432)], vaults: [at(336), at(368)] },
    programs: [TOKEN_PROGRAM, TOKEN_PROGRAM],
    ...{ authority: authority.address, at: { slot: 1_700_000_000n, unixTime: 1_700_000_000n }, sizes: [coin, pc] },
  };
}

function dbcPool(random: SeededRandom): GenuinePool {
  const curve = randomCurve(random);
  const { program } = meteoraDbcLaunchpad.decoder;
  const address = key(random);
  const at = (offset: number): string => encodeBase58(curve.pool.subarray(offset, offset + 32));
  const [base, quote] = [at(168), at(200)];
  const { mints, point, bySlot, baseLeft, baseBelow, quoteLeft, quoteBelow } = curve;
  const accounts = new Map<string, SolanaAccount | null>([
    [address, account(program, curve.pool)],
    [curve.configKey, account(program, curve.config)],
    [base, vault(mints.base, MOST_HELD)],
    [quote, vault(mints.quote, MOST_HELD)],
  ]);
  return {
    ...{ module: meteoraDbcLaunchpad, address, accounts, mints: [mints.base, mints.quote], vaults: [base, quote] },
    ...{ authority: pda(program, Buffer.from('pool_authority')).address, programs: tokenPrograms(random) },
    at: bySlot ? { slot: point, unixTime: point + 7n } : { slot: point + 9n, unixTime: point },
    sizes: [baseLeft + baseBelow, quoteLeft + quoteBelow],
  };
}

const whirlpoolPool = (random: SeededRandom): GenuinePool =>
  whirlpoolOf(whirlpool.randomWorld(random, 70), [key(random), key(random)], tokenPrograms(random));

/** A pool in that state between two mints. */
export function whirlpoolOf(
  world: whirlpool.World,
  [mintA, mintB]: readonly [string, string],
  programs: readonly [string, string],
): GenuinePool {
  const { program } = orcaWhirlpoolVenue.decoder;
  const feeTier = Buffer.alloc(2);
  feeTier.writeUInt16LE(world.oracle === null ? world.tickSpacing : 1024 + world.tickSpacing);
  const nobody = Buffer.alloc(32);
  const made = pda(program, Buffer.from('whirlpool'), nobody, bytes(mintA), bytes(mintB), feeTier);
  const before = whirlpool.accountsOf({ ...world, vaults: [MOST_HELD, MOST_HELD] });
  const names = new Map([
    [whirlpool.POOL, made.address],
    [whirlpool.NAMES.mints[0], mintA],
    [whirlpool.NAMES.mints[1], mintB],
    [oracleAddress(whirlpool.POOL), oracleAddress(made.address)],
  ]);
  for (const aToB of [true, false])
    for (const start of whirlpool.programStarts(world, aToB))
      names.set(tickArrayAddress(whirlpool.POOL, start), tickArrayAddress(made.address, start));
  const accounts = renamed(before, names);
  accounts.get(made.address)!.data[40] = made.bump;
  return {
    ...{ module: orcaWhirlpoolVenue, address: made.address, accounts, mints: [mintA, mintB], programs },
    ...{ vaults: whirlpool.NAMES.vaults, authority: made.address, at: { slot: 1_700_000_000n, unixTime: world.now } },
    sizes: [1n << 40n, 1n << 40n],
  };
}

function clmmPool(random: SeededRandom): GenuinePool {
  // The published binary is older than dynamic fees, fees on one token and limit orders.
  const world = { ...clmm.randomWorld(random, 50), orders: new Map(), dynamicFee: null, feeOn: 0 };
  const { program } = raydiumClmmVenue.decoder;
  const sdk = clmm.sdkAccountsOf(world);
  const before = clmm.accountsOf({ ...world, vaults: [MOST_HELD, MOST_HELD] }, sdk);
  const starts = new Set(
    [...world.ticks.keys()].map((tick) => Math.floor(tick / (60 * world.spacing)) * 60 * world.spacing),
  );
  for (const start of starts) before.set(clmm.arrayAddress(start), clmm.owned(sdk.array(start)));
  const [mintA, mintB, config] = [key(random), key(random), key(random)];
  const made = pda(program, Buffer.from('pool'), bytes(config), bytes(mintA), bytes(mintB));
  const names = new Map([
    [clmm.POOL, made.address],
    [clmm.CONFIG, config],
    [clmm.MINTS[0], mintA],
    [clmm.MINTS[1], mintB],
    [clmm.EXTENSION, clmmQuote.extensionAddress(made.address)],
  ]);
  for (const start of starts) names.set(clmm.arrayAddress(start), clmmQuote.tickArrayAddress(made.address, start));
  const accounts = renamed(before, names);
  const observation = key(random);
  const { data } = accounts.get(made.address)!;
  data[8] = made.bump;
  data.set(bytes(observation), 201);
  // As the published binary lays it out.
  const noted = Buffer.alloc(52_121);
  noted.set(discriminator('ObservationState'));
  noted.set(bytes(made.address), 9);
  accounts.set(observation, account(program, noted));
  return {
    ...{ module: raydiumClmmVenue, address: made.address, accounts, mints: [mintA, mintB], vaults: clmm.VAULTS },
    programs: tokenPrograms(random),
    ...{ authority: made.address, at: { slot: 1_700_000_000n, unixTime: world.now }, sizes: [1n << 40n, 1n << 40n] },
  };
}

/** The type of pair whose address follows from its mints and its step. */
const PERMISSIONLESS = 0;

function dlmmPool(random: SeededRandom): GenuinePool {
  const pair = randomPair(random);
  const { program } = meteoraDlmmVenue.decoder;
  const step = pair.accounts.get(pair.address)!.data.subarray(80, 82);
  const [low, high] = [bytes(pair.mints.x), bytes(pair.mints.y)].sort(Buffer.compare) as [Buffer, Buffer];
  const made = pda(program, low, high, step);
  const names = new Map([[pair.address, made.address]]);
  const seed = (index: number): Buffer => {
    const data = Buffer.alloc(8);
    data.writeBigInt64LE(BigInt(index));
    return data;
  };
  for (const [address, found] of pair.accounts) {
    if (address === pair.address || found === null) continue;
    const isArray = found.data.length > 5000;
    const index = isArray ? Number(Buffer.from(found.data).readBigInt64LE(8)) : 0;
    const renewed = isArray
      ? pda(program, Buffer.from('bin_array'), bytes(made.address), seed(index))
      : pda(program, Buffer.from('bitmap'), bytes(made.address));
    names.set(address, renewed.address);
  }
  const accounts = renamed(pair.accounts, names);
  accounts.get(made.address)!.data[72] = made.bump;
  accounts.get(made.address)!.data[75] = PERMISSIONLESS;
  const programs = tokenPrograms(random);
  accounts.get(made.address)!.data.set(flags(programs), 880);
  const oracle = Buffer.alloc(32 + 100 * 32);
  oracle.set(discriminator('Oracle'));
  oracle.writeBigUInt64LE(100n, 24);
  accounts.set(pair.oracle, account(program, oracle));
  accounts.set(pair.reserves.x, vault(pair.mints.x, MOST_HELD));
  accounts.set(pair.reserves.y, vault(pair.mints.y, MOST_HELD));
  return {
    ...{ module: meteoraDlmmVenue, address: made.address, accounts, mints: [pair.mints.x, pair.mints.y] },
    ...{ vaults: [pair.reserves.x, pair.reserves.y], authority: made.address, programs },
    ...{ at: { slot: 1_700_000_000n, unixTime: pair.at.unixTime }, sizes: [pair.total.x, pair.total.y] },
  };
}

export const genuinePools: ReadonlyMap<string, (random: SeededRandom) => GenuinePool> = new Map([
  ['raydium-cpmm', cpmmPool],
  ['meteora-damm-v2', dammPool],
  ['raydium-v4', v4Pool],
  ['meteora-dbc', dbcPool],
  ['orca-whirlpool', whirlpoolPool],
  ['raydium-clmm', clmmPool],
  ['meteora-dlmm', dlmmPool],
  ['pumpswap', pumpSwapPool],
  ['pump-fun', pumpFunCurve],
]);
