// Amounts of constant-product pools and curves in 64 bits, with 128 bits in between.
// Invariant: every rounding is against the trader: what is given is rounded down, what is asked and fees are rounded up.
// Each function answers 1 when the result does not exist or does not fit, and then leaves `out` alone.
#pragma once
#include "sol.h"

#define BPS 10000

/** hi:lo = a * b. The compiler's target has no wide multiplication. */
INLINE void mul128(u64 a, u64 b, u64 *hi, u64 *lo) {
  u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
  u64 p0 = al * bl, p1 = al * bh, p2 = ah * bl, p3 = ah * bh;
  u64 middle = (p0 >> 32) + (u32)p1 + (u32)p2;
  *lo = (u32)p0 | middle << 32;
  *hi = p3 + (p1 >> 32) + (p2 >> 32) + (middle >> 32);
}

/** a * b / d, rounded up when `up`. */
OUTLINE int muldiv(u64 a, u64 b, u64 d, int up, u64 *out) {
  u64 hi, lo, quotient = 0, rest;
  mul128(a, b, &hi, &lo);
  if (hi >= d) return 1;
  if (hi == 0) {
    quotient = lo / d;
    rest = lo - quotient * d;
  } else {
    rest = hi;
    for (int i = 63; i >= 0; i--) {
      u64 carry = rest >> 63;
      rest = rest << 1 | (lo >> i & 1);
      if (carry || rest >= d) {
        rest -= d;
        quotient |= 1ull << i;
      }
    }
  }
  if (up && rest != 0) {
    if (quotient == ~0ull) return 1;
    quotient++;
  }
  *out = quotient;
  return 0;
}

/** Largest s with s * s <= a * b. */
OUTLINE u64 sqrt_of_product(u64 a, u64 b) {
  u64 hi, lo, root = 0;
  mul128(a, b, &hi, &lo);
  for (int i = 63; i >= 0; i--) {
    u64 next = root | 1ull << i, h, l;
    mul128(next, next, &h, &l);
    if (h < hi || (h == hi && l <= lo)) root = next;
  }
  return root;
}

/** What is left of an amount after a fee that is rounded up. */
INLINE int after_fee(u64 amount, u64 bps, u64 *out) { return muldiv(amount, BPS - bps, BPS, 0, out); }
/** The least amount of which `net` is left after the fee. */
INLINE int before_fee(u64 net, u64 bps, u64 *out) { return muldiv(net, BPS, BPS - bps, 1, out); }

/** Output of a constant product without a fee. */
OUTLINE int product_out(u64 reserve_in, u64 reserve_out, u64 in, u64 *out) {
  u64 sum = reserve_in + in;
  if (sum < in) return 1;
  return muldiv(reserve_out, in, sum, 0, out);
}
/** Least input of a constant product without a fee that pays `out`. */
OUTLINE int product_in(u64 reserve_in, u64 reserve_out, u64 out, u64 *in) {
  if (out >= reserve_out) return 1;
  return muldiv(reserve_in, out, reserve_out - out, 1, in);
}
