import { u8, u16, u32, u64 } from '#programs/client.js';

/**
 * Settings of every curve that is made here, as `create_config` reads them: a billion units of 6 decimals, of which 800 million are
 * sold for 85 SOL with a fee of 1% in SOL for the creator; then the rest and the SOL become a pool of DAMM v2 with a fee of 1%, whose
 * liquidity is the creator's and locked for ever. They are what the SDK's `buildCurve` makes of these words.
 */
const FEE_OF_1E9 = 10_000_000n;
const SUPPLY = 1_000_000_000_000_000n;
const THRESHOLD = 85_000_000_000n;
const DECIMALS = 6;
const DAMM_V2 = 1;
const POOL_FEE_1_PERCENT = 2;
const IMMUTABLE_METADATA = 1;
const LOCKED_PERCENT_OF_CREATOR = 100;
const SQRT_START = 0x151c3cb165c9156n;
/** Square root of the price (Q64.64) and the liquidity up to it. */
const CURVE: readonly (readonly [bigint, bigint])[] = [
  [0x5470f2b19938758n, 0x4fffaff17c5c87331b301c7b8ban],
  [0xfffec4b1845c1aa94e69579bn, 0x2d74cdfd1543b781745ddn],
];

const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);
const u128 = (value: bigint): Buffer => Buffer.concat([u64(value & 0xffff_ffff_ffff_ffffn), u64(value >> 64n)]);

export const CONFIG_TERMS: Buffer = Buffer.concat([
  // The same fee at all times, no dynamic one.
  ...[u64(FEE_OF_1E9), zeros(19), u8(0)],
  // Fees in SOL; where it migrates; points of time are slots; a mint of the token program.
  ...[u8(0), u8(DAMM_V2), u8(0), u8(0), u8(DECIMALS)],
  // Liquidity of the partner, free and locked, and of the creator.
  ...[u8(0), u8(0), u8(0), u8(LOCKED_PERCENT_OF_CREATOR)],
  ...[u64(THRESHOLD), u128(SQRT_START)],
  // No vesting.
  zeros(40),
  ...[u8(POOL_FEE_1_PERCENT), u8(1), u64(SUPPLY), u64(SUPPLY)],
  // No share of the fee for another creator; metadata that stay; no fees of the migration, of the pool's own, of its creation.
  ...[u8(0), u8(IMMUTABLE_METADATA), zeros(2), zeros(4), zeros(8)],
  // No vesting of liquidity, no schedule of the pool's fee, no discount of the first swap.
  ...[zeros(26), u8(0), zeros(16), u8(0), u16(0), zeros(2)],
  ...[u32(CURVE.length), ...CURVE.flatMap(([price, liquidity]) => [u128(price), u128(liquidity)])],
]);
