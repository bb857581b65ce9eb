import { createHash } from 'node:crypto';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { associatedAddress } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { pumpFunLaunchpad } from '#libs/chain/launchpads/pump-fun/launchpad.js';
import { PUMP_FEES, PUMP_GLOBAL } from '#libs/chain/launchpads/pump-fun/quote.js';
import { EXOTIC_BYTES, PUMP_FEE_PROGRAM, STABLE_BYTES } from '#libs/chain/market-ports/solana/pump-fees.js';
import { QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { PUMPSWAP_CONFIG, PUMPSWAP_FEES } from '#libs/chain/venues/pumpswap/quote.js';
import { pumpSwapVenue } from '#libs/chain/venues/pumpswap/venue.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { derive, idOf } from '#programs/instruction.js';
import type { GenuinePool } from './genuine-pool.js';

/** Pools of PumpSwap in random states, with the accounts that its program reads besides, as its interface lays them out. */
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const LAUNCHPAD = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';
const RECIPIENTS = 8;
const POOL_BYTES = 300;
/** What the fee program made at first (the venues take none that is shorter), then with stable tiers, then with the last rates. */
const FEE_CONFIG_BYTES = [2_512, STABLE_BYTES, EXOTIC_BYTES, 6_000];
/** What accounts of earlier versions of the program hold; the program lengthens them in a swap. */
const EARLIER_BYTES = [211, 243, 244, 261, 271];

/** Either of those or any length between them: the program takes what an account does not hold whole as unset. */
const shorter = (random: SeededRandom, lengths: readonly number[]): number =>
  random.chance(0.5) ? random.pick(lengths) : random.int(lengths[0]!, lengths.at(-1)!);

const bytes = (address: string): Buffer => Buffer.from(decodeBase58(address)!);
const tag = (name: string): Buffer => createHash('sha256').update(`account:${name}`).digest().subarray(0, 8);
const u64 = (...values: (bigint | number)[]): Buffer => {
  const data = Buffer.alloc(8 * values.length);
  for (const [n, value] of values.entries()) data.writeBigUInt64LE(BigInt(value), 8 * n);
  return data;
};
const u32 = (value: number): Buffer => {
  const data = Buffer.alloc(4);
  data.writeUInt32LE(value);
  return data;
};
const held = (owner: string, data: Uint8Array): SolanaAccount => ({ owner, lamports: 10n ** 10n, data });

/** Tiers from a market cap of 2^20 to one of 2^64, flat rates, those of stable quotes and of any other. */
function feeConfig(random: SeededRandom, program: string): SolanaAccount {
  const { bump } = derive(idOf(PUMP_FEE_PROGRAM), Buffer.from('fee_config'), bytes(program));
  const rates = (): Buffer => u64(random.int(0, 60), random.int(0, 200), random.int(0, 200));
  const tiers = (count: number): Buffer[] => {
    const powers = Array.from({ length: count }, () => random.int(20, 64)).sort((a, b) => a - b);
    const from = (nth: number): Buffer => u64(nth === 0 ? 0n : (1n << BigInt(powers[nth]!)) & ((1n << 64n) - 1n), 0n);
    return [u32(count), ...powers.flatMap((_, nth) => [from(nth), rates()])];
  };
  const exotic = random.chance(0.5) ? rates() : u64(0, 0, 0);
  const lists = [...tiers(random.int(1, 8)), ...tiers(random.int(1, 8))];
  const data = Buffer.alloc(random.pick(FEE_CONFIG_BYTES));
  data.set(Buffer.concat([tag('FeeConfig'), Buffer.of(bump), Buffer.alloc(32, 7), rates(), ...lists, exotic]));
  return held(PUMP_FEE_PROGRAM, data);
}

export function pumpSwapPool(random: SeededRandom): GenuinePool {
  const world = new QuoteWorld(random);
  const { program } = pumpSwapVenue.decoder;
  const recipients = Array.from({ length: RECIPIENTS }, () => world.key());
  const config = Buffer.alloc(1_000);
  config.set(tag('GlobalConfig'));
  config.set(u64(20, 5), 40);
  config[417] = 1;
  config.set(Buffer.concat(recipients.map(bytes)), 643);
  config.set(u64(random.pick([0, 2_500, 5_000, 10_000])), 899);
  config[940] = random.chance(0.5) ? 1 : 0;
  config.set(u64(500), 941);

  const [baseMint, quoteMint] = [world.key(), random.pick([WRAPPED_SOL, USDC, world.key()])];
  const isLaunched = random.chance(0.7);
  const creator = isLaunched ? deriveAddress(LAUNCHPAD, [Buffer.from('pool-authority'), bytes(baseMint)]) : world.key();
  const index = Buffer.from([random.int(0, 255), random.int(0, 3)]);
  const made = derive(idOf(program), Buffer.from('pool'), index, ...[creator, baseMint, quoteMint].map(bytes));
  const address = encodeBase58(Buffer.from(made.id, 'hex'));
  const one = (mint: string): string =>
    mint !== WRAPPED_SOL && mint !== USDC && random.chance(0.3) ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
  const programs: [string, string] = [one(baseMint), one(quoteMint)];
  const vaults: [string, string] = [
    associatedAddress(address, baseMint, programs[0]),
    associatedAddress(address, quoteMint, programs[1]),
  ];
  const [base, quote] = [world.amount(58), world.amount(58)];
  const [protocol, creators] = random.chance(0.5) ? [0n, 0n] : [world.below(quote / 4n), world.below(quote / 4n)];
  const virtual = random.chance(0.6) ? -(protocol + creators) : world.amount(56) - protocol - creators;

  const pool = Buffer.alloc(POOL_BYTES);
  pool.set(tag('Pool'));
  pool[8] = made.bump;
  pool.set(index, 9);
  pool.set(Buffer.concat([creator, baseMint, quoteMint, world.key(), ...vaults].map(bytes)), 11);
  pool.set(u64(1_000_000n), 203);
  if (random.chance(0.8)) pool.set(bytes(world.key()), 211);
  pool[243] = isLaunched && random.chance(0.2) ? 1 : 0;
  pool.set(u64(BigInt.asUintN(64, virtual), BigInt.asUintN(64, virtual >> 64n)), 245);
  pool.set(u64(random.chance(0.5) ? 0 : random.int(1, 500)), 261);
  pool.set(u64(protocol, creators), 271);
  const size = protocol + creators === 0n && random.chance(0.3) ? shorter(random, EARLIER_BYTES) : POOL_BYTES;

  const token = (mint: string, owner: string, amount: bigint): Buffer => {
    const data = Buffer.alloc(165);
    data.set(Buffer.concat([bytes(mint), bytes(owner), u64(amount)]));
    data[108] = 1;
    return data;
  };
  const supply = Buffer.alloc(82);
  supply.set(u64(world.amount(60)), 36);
  supply[44] = 6;
  supply[45] = 1;
  const accounts = new Map<string, SolanaAccount | null>([
    // No more than its rent: what a longer one costs falls to the trader.
    [address, { ...held(program, pool.subarray(0, size)), lamports: 6_960n * BigInt(128 + size) }],
    [PUMPSWAP_CONFIG, held(program, config)],
    [PUMPSWAP_FEES, feeConfig(random, program)],
    [baseMint, held(programs[0], supply)],
    [vaults[0], held(programs[0], token(baseMint, address, base))],
    [vaults[1], held(programs[1], token(quoteMint, address, quote))],
  ]);
  for (const recipient of recipients) {
    const paid = associatedAddress(recipient, quoteMint, programs[1]);
    const isThere = random.chance(0.7) || recipient === recipients.at(-1);
    accounts.set(paid, isThere ? held(programs[1], token(quoteMint, recipient, 0n)) : null);
  }
  return {
    ...{ module: pumpSwapVenue, address, accounts, mints: [baseMint, quoteMint], vaults, programs, authority: address },
    ...{ at: { slot: 1_700_000_000n, unixTime: 1_790_000_000n }, sizes: [base, quote] },
  };
}

/** Lengths of curves of earlier versions of the program. */
const EARLIER_CURVES = [49, 81, 82, 83, 115, 123, 124, 125, 141, 150, 151];
/** From which length on a curve says what it is quoted in. */
const NAMES_QUOTE = 115;
/** From which one on it counts the fees that it holds. */
const HOLDS_FEES = 141;

/** Curves of pump.fun in random states, two thirds of them in SOL. */
export function pumpFunCurve(random: SeededRandom): GenuinePool {
  const world = new QuoteWorld(random);
  const { program } = pumpFunLaunchpad.decoder;
  const recipients = Array.from({ length: RECIPIENTS }, () => world.key());
  const global = Buffer.alloc(1_088);
  global.set(tag('Global'));
  global[8] = 1;
  global.set(u64(1_073_000_000_000_000n, 30_000_000_000n, 793_100_000_000_000n, 1_000_000_000_000_000n, 95), 73);
  global.set(u64(15_000_001n, 5n), 146);
  global.set(Buffer.concat(Array.from({ length: 7 }, () => bytes(world.key()))), 162);
  global.set(Buffer.concat(recipients.map(bytes)), 741);
  global.set(u64(random.pick([0, 2_500, 5_000, 10_000])), 997);
  global[1_045] = random.chance(0.5) ? 1 : 0;
  global.set(u64(500), 1_046);

  const mint = world.key();
  const inSol = random.chance(0.67);
  const quoteMint = inSol ? WRAPPED_SOL : random.pick([USDC, world.key()]);
  const one = (of: string): string =>
    of !== WRAPPED_SOL && of !== USDC && random.chance(0.4) ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
  const programs: [string, string] = [one(mint), one(quoteMint)];
  const made = derive(idOf(program), Buffer.from('bonding-curve'), bytes(mint));
  const address = encodeBase58(Buffer.from(made.id, 'hex'));
  const vaults: [string, string] = [
    associatedAddress(address, mint, programs[0]),
    associatedAddress(address, quoteMint, programs[1]),
  ];
  const [virtualTokens, virtualQuote] = [world.amount(56) + 1n, world.amount(56)];
  const [realTokens, realQuote] = [world.below(virtualTokens), world.below(virtualQuote)];
  const mayhem = random.chance(0.2);
  const supply = world.amount(58);

  const curve = Buffer.alloc(166);
  curve.set(tag('BondingCurve'));
  curve.set(u64(virtualTokens, virtualQuote, realTokens, realQuote, mayhem ? world.amount(58) : supply), 8);
  if (random.chance(0.8)) curve.set(bytes(world.key()), 49);
  curve[81] = mayhem ? 1 : 0;
  if (!inSol) curve.set(bytes(quoteMint), 83);
  curve.set(u64(random.chance(0.5) ? 0 : random.int(1, 500)), 115);
  curve[124] = random.chance(0.2) ? 1 : 0;
  // Fees that have not been swept are in the curve besides its reserves.
  const unswept = random.chance(0.5) ? [0n, 0n] : [world.amount(50), world.amount(50)];
  curve.set(u64(...unswept), 125);
  const earlier = EARLIER_CURVES.filter((each) => inSol || each >= NAMES_QUOTE);
  const length = random.chance(0.3) ? shorter(random, earlier) : curve.length;
  const isLong = length >= HOLDS_FEES;
  const kept = realQuote + (isLong ? unswept[0]! + unswept[1]! : 0n);

  const token = (of: string, owner: string, amount: bigint): Buffer => {
    const data = Buffer.alloc(165);
    data.set(Buffer.concat([bytes(of), bytes(owner), u64(amount)]));
    data[108] = 1;
    return data;
  };
  const minted = Buffer.alloc(82);
  minted.set(u64(supply), 36);
  minted[44] = 6;
  minted[45] = 1;
  const rent = 6_960n * BigInt(128 + length);
  const accounts = new Map<string, SolanaAccount | null>([
    [address, { owner: program, lamports: rent + (inSol ? kept : 0n), data: curve.subarray(0, length) }],
    [PUMP_GLOBAL, held(program, global)],
    [PUMP_FEES, feeConfig(random, program)],
    [mint, held(programs[0], minted)],
    [vaults[0], held(programs[0], token(mint, address, realTokens + world.amount(50)))],
    [vaults[1], held(programs[1], token(quoteMint, address, kept))],
  ]);
  for (const recipient of recipients) {
    const isThere = random.chance(0.7) || recipient === recipients.at(-1);
    if (inSol) accounts.set(recipient, isThere ? held(SYSTEM_PROGRAM, new Uint8Array(0)) : null);
    else {
      const paid = associatedAddress(recipient, quoteMint, programs[1]);
      accounts.set(paid, isThere ? held(programs[1], token(quoteMint, recipient, 0n)) : null);
    }
  }
  return {
    ...{ module: pumpFunLaunchpad, address, accounts, mints: [mint, quoteMint], vaults, programs, authority: address },
    ...{ at: { slot: 1_700_000_000n, unixTime: 1_790_000_000n }, sizes: [virtualTokens, virtualQuote] },
    // The least amounts, and all that the curve has left.
    edges: [1n, 2n, 3n, realTokens, realTokens - 1n].filter((amount) => amount > 0n),
  };
}
