import { createHash } from 'node:crypto';
import type { SolanaAccount } from '#libs/chains/solana/accounts.js';
import { deriveAddress } from '#libs/chains/solana/derive.js';
import { associatedAddress } from '#libs/chains/solana/derived-addresses.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from '#libs/chains/solana/programs.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { EXOTIC_BYTES, PUMP_FEE_PROGRAM, STABLE_BYTES } from '#libs/market-ports/solana/pump-fees.js';
import { QuoteWorld } from '#libs/market-ports/solana/test/quote-world.js';
import type { SeededRandom } from '#libs/testing/seeded-random.js';
import { PUMPSWAP_CONFIG, PUMPSWAP_FEES } from '#libs/venues/pumpswap/quote.js';
import { pumpSwapVenue } from '#libs/venues/pumpswap/venue.js';
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
export function feeConfig(random: SeededRandom): SolanaAccount {
  const rates = (): Buffer => u64(random.int(0, 60), random.int(0, 200), random.int(0, 200));
  const tiers = (count: number): Buffer[] => {
    const powers = Array.from({ length: count }, () => random.int(20, 64)).sort((a, b) => a - b);
    const from = (nth: number): Buffer => u64(nth === 0 ? 0n : (1n << BigInt(powers[nth]!)) & ((1n << 64n) - 1n), 0n);
    return [u32(count), ...powers.flatMap((_, nth) => [from(nth), rates()])];
  };
  const exotic = random.chance(0.5) ? rates() : u64(0, 0, 0);
  const lists = [...tiers(random.int(1, 8)), ...tiers(random.int(1, 8))];
  const data = Buffer.alloc(random.pick(FEE_CONFIG_BYTES));
  data.set(Buffer.concat([tag('FeeConfig'), Buffer.of(255), Buffer.alloc(32, 7), rates(), ...lists, exotic]));
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
  const size = protocol + creators === 0n && random.chance(0.3) ? random.pick(EARLIER_BYTES) : POOL_BYTES;

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
    [PUMPSWAP_FEES, feeConfig(random)],
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
