/**
 * sqrt(1.0001^tick) as Q64.64, as the two programs compute it: they agree on most ticks and differ in the last digits of
 * the others. Invariant: bit for bit the program's own table and rounding.
 */
export const MIN_TICK = -443636;
export const MAX_TICK = 443636;

export interface TickPrices {
  readonly minSqrtPrice: bigint;
  readonly maxSqrtPrice: bigint;
  /** Throws RangeError outside of the ticks above. */
  at(tick: number): bigint;
}

/** The last price asked for in each slot; a tick has one slot, many ticks share it. All begin as tick 0, whose slot is 0. */
const SLOT_BITS = 14;

function remembered(minSqrtPrice: bigint, maxSqrtPrice: bigint, compute: (tick: number) => bigint): TickPrices {
  const ticks = new Int32Array(1 << SLOT_BITS);
  const prices = new Array<bigint>(1 << SLOT_BITS).fill(1n << 64n);
  const at = (tick: number): bigint => {
    const slot = Math.imul(tick, 0x9e3779b1) >>> (32 - SLOT_BITS);
    if (ticks[slot] === tick) return prices[slot]!;
    if (!(tick >= MIN_TICK && tick <= MAX_TICK)) throw new RangeError(`tick ${tick} is outside the price range`);
    const price = compute(tick);
    ticks[slot] = tick;
    prices[slot] = price;
    return price;
  };
  return { minSqrtPrice, maxSqrtPrice, at };
}

/** Factors of the bits that are set, one after the other, each product cut at `shift` bits. */
function product(one: bigint, factors: readonly bigint[], distance: number, shift: bigint): bigint {
  let ratio = distance & 1 ? factors[0]! : one;
  for (let bit = 1; bit < factors.length; bit++) {
    if (distance & (1 << bit)) ratio = (ratio * factors[bit]!) >> shift;
  }
  return ratio;
}

/** Whirlpool: one table in Q96 for ticks from zero up, one in Q64 for those below. */
const WHIRLPOOL_UP = [
  79232123823359799118286999567n,
  79236085330515764027303304731n,
  79244008939048815603706035061n,
  79259858533276714757314932305n,
  79291567232598584799939703904n,
  79355022692464371645785046466n,
  79482085999252804386437311141n,
  79736823300114093921829183326n,
  80248749790819932309965073892n,
  81282483887344747381513967011n,
  83390072131320151908154831281n,
  87770609709833776024991924138n,
  97234110755111693312479820773n,
  119332217159966728226237229890n,
  179736315981702064433883588727n,
  407748233172238350107850275304n,
  2098478828474011932436660412517n,
  55581415166113811149459800483533n,
  38992368544603139932233054999993551n,
];
const WHIRLPOOL_DOWN = [
  18445821805675392311n,
  18444899583751176498n,
  18443055278223354162n,
  18439367220385604838n,
  18431993317065449817n,
  18417254355718160513n,
  18387811781193591352n,
  18329067761203520168n,
  18212142134806087854n,
  17980523815641551639n,
  17526086738831147013n,
  16651378430235024244n,
  15030750278693429944n,
  12247334978882834399n,
  8131365268884726200n,
  3584323654723342297n,
  696457651847595233n,
  26294789957452057n,
  37481735321082n,
];

export const whirlpoolPrices = remembered(4295048016n, 79226673515401279992447579055n, (tick) =>
  tick >= 0 ? product(1n << 96n, WHIRLPOOL_UP, tick, 96n) >> 32n : product(1n << 64n, WHIRLPOOL_DOWN, -tick, 64n),
);

/** Raydium CLMM: one table below one; a tick above zero is the inverse of its mirror. */
const CLMM_DOWN = [
  0xfffcb933bd6fb800n,
  0xfff97272373d4000n,
  0xfff2e50f5f657000n,
  0xffe5caca7e10f000n,
  0xffcb9843d60f7000n,
  0xff973b41fa98e800n,
  0xff2ea16466c9b000n,
  0xfe5dee046a9a3800n,
  0xfcbe86c7900bb000n,
  0xf987a7253ac65800n,
  0xf3392b0822bb6000n,
  0xe7159475a2caf000n,
  0xd097f3bdfd2f2000n,
  0xa9f746462d9f8000n,
  0x70d869a156f31c00n,
  0x31be135f97ed3200n,
  0x9aa508b5b85a500n,
  0x5d6af8dedc582cn,
  0x2216e584f5fan,
];
const MAX_U128 = (1n << 128n) - 1n;

export const clmmPrices = remembered(4295048016n, 79226673521066979257578248091n, (tick) => {
  const ratio = product(1n << 64n, CLMM_DOWN, Math.abs(tick), 64n);
  return tick > 0 ? MAX_U128 / ratio : ratio;
});

const LOG_B_2_X32 = 59543866431248n;
const LOG_PRECISION = 14;
/** 0.01 below, and 0.01 plus the error of the precision above. */
const MARGIN_BELOW = 184467440737095516n;
const MARGIN_ABOVE = 15793534762490258745n;

/** The tick that Whirlpool finds for a price: a logarithm of 14 bits, then the price of the upper candidate decides. */
export function whirlpoolTickAt(sqrtPrice: bigint): number {
  const highest = sqrtPrice.toString(2).length - 1;
  let ratio = highest >= 64 ? sqrtPrice >> BigInt(highest - 63) : sqrtPrice << BigInt(63 - highest);
  let fraction = 0n;
  for (let i = 0; i < LOG_PRECISION; i++) {
    ratio *= ratio;
    const carry = ratio >> 127n;
    ratio >>= 63n + carry;
    fraction += carry << BigInt(63 - i);
  }
  const logarithm = ((BigInt(highest - 64) << 32n) + (fraction >> 32n)) * LOG_B_2_X32;
  const low = Number((logarithm - MARGIN_BELOW) >> 64n);
  const high = Number((logarithm + MARGIN_ABOVE) >> 64n);
  return low === high || whirlpoolPrices.at(high) > sqrtPrice ? low : high;
}
