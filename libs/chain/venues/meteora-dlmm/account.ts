import { AccountData, type AccountOf, accountReader } from '#libs/chain/chains/solana/account-data.js';

/**
 * Accounts of Meteora DLMM that a quote needs: the pair, its arrays of bins and the extension of its bitmap.
 * Invariant: null for whatever is none of them or too short; nothing here throws.
 */
export const BINS_PER_ARRAY = 70;
/** Bits on each side of zero in the pair's own bitmap, and in each word of the extension. */
const BITMAP_SIDE = 512;
const EXTENSION_WORDS = 12;
const WORD_BYTES = BITMAP_SIDE / 8;
/** Indexes of arrays that the two bitmaps can hold run from -END to END - 1. */
const BITMAP_END = BITMAP_SIDE * (EXTENSION_WORDS + 1);

const PAIR = ['210b3162b565b10d'];
const PAIR_SIZE = 824;
const ARRAY = ['5c8e5cdc059446b5'];
const ARRAY_HEAD = 56;
const BIN_SIZE = 144;
const EXTENSION = ['506f7c7137ed1205'];
const EXTENSION_HEAD = 40;
const EXTENSION_SIZE = EXTENSION_HEAD + 2 * EXTENSION_WORDS * WORD_BYTES;
const REWARD_MINTS = [264, 408];

export const readPair = accountReader(PAIR, PAIR_SIZE, (at) => ({
  baseFactor: at.u16(8),
  filterPeriod: at.u16(10),
  decayPeriod: at.u16(12),
  reductionFactor: at.u16(14),
  variableFeeControl: at.u32(16),
  maxVolatility: at.u32(20),
  baseFeePower: at.u8(34),
  /** 0 undetermined, 1 rewards for liquidity, 2 limit orders. */
  functionType: at.u8(35),
  /** 0: fee on the input; 1: fee on token Y. */
  collectFeeMode: at.u8(36),
  volatility: at.u32(40),
  volatilityReference: at.u32(44),
  indexReference: at.i32(48),
  lastUpdate: at.i64(56),
  /** 1 and 2 start trading at a point in time. */
  pairType: at.u8(75),
  activeBin: at.i32(76),
  binStep: at.u16(80),
  /** 0 is enabled. */
  status: at.u8(82),
  /** 0: the point is a slot; 1: a time. */
  activationType: at.u8(86),
  mintX: at.key(88),
  mintY: at.key(120),
  reserveX: at.key(152),
  reserveY: at.key(184),
  oracle: at.key(552),
  hasRewards: REWARD_MINTS.some((mint) => at.bytes(mint, 32).some((byte) => byte !== 0)),
  bitmap: at.bytes(584, 2 * WORD_BYTES),
  activationPoint: at.u64(816),
}));
export type DlmmPair = AccountOf<typeof readPair>;

export class BinArray {
  static readonly read = accountReader(ARRAY, ARRAY_HEAD + BINS_PER_ARRAY * BIN_SIZE, (at) => new BinArray(at));
  readonly index: number;

  private constructor(private readonly at: AccountData) {
    this.index = Number(at.i64(8));
  }

  /** What the makers' liquidity in the bin at that place, 0 to 69, can give. */
  made(place: number, xToY: boolean): bigint {
    return this.at.u64(ARRAY_HEAD + place * BIN_SIZE + (xToY ? 8 : 0));
  }

  /** What limit orders in that bin can give then: the rest of those that are being filled, and those that wait. */
  ordered(place: number, xToY: boolean): bigint[] {
    const { at } = this;
    const start = ARRAY_HEAD + place * BIN_SIZE;
    const ordersSellX = at.u8(start + 140) !== 0;
    return ordersSellX === xToY ? [] : [at.u64(start + 128), at.u64(start + 112)].filter((amount) => amount > 0n);
  }

  /** Q64.64 raw Y for one raw X; 0 while the bin was never used. */
  price(place: number): bigint {
    return this.at.u128(ARRAY_HEAD + place * BIN_SIZE + 16);
  }
}

/** The words of the extension: first those for positive indexes, then those for negative ones. */
export const readExtension = accountReader(EXTENSION, EXTENSION_SIZE, (at) =>
  at.bytes(EXTENSION_HEAD, EXTENSION_SIZE - EXTENSION_HEAD),
);

export const arrayOfBin = (bin: number): number => Math.floor(bin / BINS_PER_ARRAY);

/**
 * The next arrays that hold liquidity, from `start` on in one direction; `beyond` when the search left the pair's own
 * bitmap, which without the extension is its end.
 */
export function nextArrays(
  bitmap: Uint8Array,
  extension: Uint8Array | null,
  start: number,
  down: boolean,
  count: number,
): { readonly indexes: number[]; readonly beyond: boolean } {
  const indexes: number[] = [];
  const step = down ? -1 : 1;
  let beyond = false;
  for (let index = start; indexes.length < count && index >= -BITMAP_END && index < BITMAP_END; index += step) {
    if (index >= -BITMAP_SIDE && index < BITMAP_SIDE) {
      if (isSet(bitmap, index + BITMAP_SIDE)) indexes.push(index);
      continue;
    }
    beyond = true;
    if (extension === null) break;
    const bit = index < 0 ? BITMAP_END - BITMAP_SIDE - (index + 1) - BITMAP_SIDE : index - BITMAP_SIDE;
    if (isSet(extension, bit)) indexes.push(index);
  }
  return { indexes, beyond };
}

const isSet = (bits: Uint8Array, bit: number): boolean => ((bits[bit >> 3]! >> (bit & 7)) & 1) === 1;
