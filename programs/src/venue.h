// What a venue of the swap program looks like: account places, instruction tags and states of the pool and of the curve.
// The swap program computes exact-out amounts with the same functions as the venues, so that both always agree.
#pragma once
#include "math.h"
#include "token.h"

/** Instructions every venue takes: u8 tag | u64 amount | u64 limit. */
enum { SWAP_EXACT_IN = 1, SWAP_EXACT_OUT = 4 };
#define SWAP_BYTES 17
/** Accounts of both: state, user (signer), user's input and output, vault of the input and of the output, token program. */
enum { AT_STATE, AT_USER, AT_USER_IN, AT_USER_OUT, AT_VAULT_IN, AT_VAULT_OUT, AT_TOKEN, SWAP_ACCOUNTS };
/** Kinds of rows in the config: those two speak the instructions above, the others their own (adapter.h). Only appended to. */
enum {
  KIND_POOL, KIND_CURVE, KIND_RAYDIUM_CPMM, KIND_METEORA_DAMM_V2, KIND_RAYDIUM_V4, KIND_METEORA_DBC, KIND_ORCA_WHIRLPOOL,
  KIND_RAYDIUM_CLMM, KIND_METEORA_DLMM, KIND_PUMPSWAP, KIND_PUMP_FUN,
  KIND_RAYDIUM_LAUNCHLAB, KINDS,
};

#define POOL_TAG TAG('T', 'P', 'A', 'M', 'M', 'P', 'L', '1')
enum {
  POOL_MINT_A = 8, POOL_MINT_B = 40, POOL_VAULT_A = 72, POOL_VAULT_B = 104, POOL_LP_MINT = 136, POOL_CREATOR = 168,
  POOL_FEE = 200, POOL_BUMP = 202, POOL_BYTES = 208,
};

#define CURVE_TAG TAG('T', 'P', 'C', 'U', 'R', 'V', 'E', '1')
enum {
  CURVE_MINT = 8, CURVE_QUOTE_MINT = 40, CURVE_BASE_VAULT = 72, CURVE_QUOTE_VAULT = 104, CURVE_CREATOR = 136,
  CURVE_POOL = 168, CURVE_VIRTUAL_QUOTE = 200, CURVE_VIRTUAL_BASE = 208, CURVE_REAL_QUOTE = 216, CURVE_REMAINING = 224,
  CURVE_FOR_SALE = 232, CURVE_FOR_POOL = 240, CURVE_FEES = 248, CURVE_FEE = 256, CURVE_POOL_FEE = 258, CURVE_BUMP = 260,
  CURVE_STATUS = 261, CURVE_TEXTS = 264, CURVE_BYTES = 456,
};
enum { TRADING, COMPLETE, GRADUATED };

/** Input a pool asks for an exact output. */
OUTLINE int pool_in(const u8 *pool, u64 reserve_in, u64 reserve_out, u64 out, u64 *in) {
  u64 net;
  return product_in(reserve_in, reserve_out, out, &net) || before_fee(net, get16(pool + POOL_FEE), in);
}

/** Input a curve asks for an exact output: of quote when the output is the token, of the token otherwise. */
OUTLINE int curve_in(const u8 *curve, int buys, u64 out, u64 *in) {
  u64 quote = get64(curve + CURVE_VIRTUAL_QUOTE), base = get64(curve + CURVE_VIRTUAL_BASE), bps = get16(curve + CURVE_FEE);
  u64 step;
  if (buys) return out > get64(curve + CURVE_REMAINING) || product_in(quote, base, out, &step) || before_fee(step, bps, in);
  return before_fee(out, bps, &step) || step > get64(curve + CURVE_REAL_QUOTE) || product_in(base, quote, step, in);
}
