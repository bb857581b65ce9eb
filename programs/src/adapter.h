// How each kind of venue is called: tags of its two swaps, order of their numbers, places of the user in its list of accounts.
// Invariant: a list has the order of the venue's own instruction. The user signs at one place alone and is writable only for a
// kind that names rents (payer.h); the user's two token accounts are at theirs and nowhere else, and no other account of the
// list is the user's.
#pragma once
#include "config.h"
#include "token22.h"

/** What follows the two amounts. */
enum { TAIL_NONE, TAIL_MODE, TAIL_WHIRLPOOL, TAIL_CLMM, TAIL_SLICES, TAIL_FILL, TAIL_SHARE };

#define RENT_PLACES 2

typedef struct {
  u64 exact_in, exact_out;
  u8 tag_bytes;
  /** For an exact output: whether the output comes before the most input. */
  u8 output_first;
  u8 tail;
  u8 user, first, second;
  /** Whether the input is always the first of the two token accounts; else their order is that of the pool's tokens. */
  u8 is_ordered;
  u8 least;
} Adapter;

/** What few kinds have, zeros for the others. */
typedef struct {
  /** Where the first of the two is the input: other instructions; 0 for exact outputs: there is none. */
  u64 sell, sell_exact_out;
  /** Most bytes that the user pays the rent of, and the accounts of the venue's own that it is for. */
  u16 rent_bytes;
  u8 rent_at[RENT_PLACES];
  /**
   * Where the second of the user's two accounts is of wrapped coins, the venue moves the coins of the user itself (coins.h), and
   * behind the venue's own accounts the list has at this place the account that unwraps them; 0: the venue moves tokens alone.
   */
  u8 coins_at;
  /** Whether these accounts are token accounts that the venue makes where they are not there, not accounts of its own. */
  u8 makes_tokens;
} Rare;

#define ANCHOR(a, b, c, d, e, f, g, h) TAG(0x##a, 0x##b, 0x##c, 0x##d, 0x##e, 0x##f, 0x##g, 0x##h)
#define OWN_VENUE {SWAP_EXACT_IN, SWAP_EXACT_OUT, 1, 1, TAIL_NONE, 1, 2, 3, 1, SWAP_ACCOUNTS}
#define SWAP2 ANCHOR(41, 4b, 3f, 4c, eb, 5b, 5b, 88)
#define SWAP_V2 ANCHOR(2b, 04, ed, 0b, 1a, c9, 1e, 62)

static const Adapter ADAPTERS[KINDS] = {
  [KIND_POOL] = OWN_VENUE,
  [KIND_CURVE] = OWN_VENUE,
  // payer, authority, config, pool, input, output, vaults, token programs, mints, observation
  [KIND_RAYDIUM_CPMM] = {ANCHOR(8f, be, 5a, da, c4, 1e, 33, de), ANCHOR(37, d9, 62, 56, a3, 4a, b4, ad), 8, 0, TAIL_NONE, 0, 4, 5, 1, 13},
  // authority, pool, input, output, vaults, mints, payer, token programs, referral, event authority, program
  [KIND_METEORA_DAMM_V2] = {SWAP2, SWAP2, 8, 1, TAIL_MODE, 8, 2, 3, 1, 14},
  // token program, pool, authority, open orders, vaults, eight of the market, input, output, owner
  [KIND_RAYDIUM_V4] = {9, 11, 1, 0, TAIL_NONE, 16, 14, 15, 1, 17},
  // authority, config, pool, input, output, vaults, mints, payer, token programs, referral, event authority, program
  [KIND_METEORA_DBC] = {SWAP2, SWAP2, 8, 1, TAIL_MODE, 9, 3, 4, 1, 15},
  // token programs, memo, authority, pool, mints, account A, vault A, account B, vault B, three tick arrays, oracle
  [KIND_ORCA_WHIRLPOOL] = {SWAP_V2, SWAP_V2, 8, 1, TAIL_WHIRLPOOL, 3, 7, 9, 0, 15},
  // payer, config, pool, input, output, vaults, observation, both token programs, memo, mints, arrays
  [KIND_RAYDIUM_CLMM] = {SWAP_V2, SWAP_V2, 8, 1, TAIL_CLMM, 0, 3, 4, 1, 13},
  // pair, bitmap, reserves, input, output, mints, oracle, host, user, token programs, memo, event authority, program, arrays
  [KIND_METEORA_DLMM] = {SWAP2, ANCHOR(2b, d7, f7, 84, 89, 3c, f3, 51), 8, 0, TAIL_SLICES, 10, 4, 5, 1, 16},
  // pool, user, config, mints, base, quote, vaults, token programs, system program, accumulator, fees, recipient, event authority,
  // program
  [KIND_PUMPSWAP] = {ANCHOR(c2, ab, 1c, 46, 68, 4d, 5b, 2f), ANCHOR(b8, 17, ee, 61, 67, c5, d3, 3d), 8, 1, TAIL_NONE, 1, 5, 6, 0, 17},
  // global, mints, token programs, curve, its base and quote, user, base, quote, accumulator, fees, recipient, system program,
  // event authority, program
  [KIND_PUMP_FUN] = {ANCHOR(e1, f7, 50, 1e, d5, b3, 84, 88), ANCHOR(07, 05, 1d, c4, f5, 17, 65, 50), 8, 1, TAIL_FILL, 8, 9, 10, 0, 17},
  // payer, authority, config, platform, pool, base, quote, vaults, mints, token programs, event authority, program, system program,
  // fees of platform and creator
  [KIND_RAYDIUM_LAUNCHLAB] = {ANCHOR(fa, ea, 0d, 7b, d5, 9c, 13, ec), ANCHOR(18, d3, 74, 28, 69, 03, 99, 38), 8, 1, TAIL_SHARE, 0, 5, 6, 0, 18},
};

static const Rare RARE[KINDS] = {
  [KIND_PUMPSWAP] = {ANCHOR(5d, f6, 82, 3c, e7, e9, 40, b2), 0, 256, {0, 12}, 0, 0},
  [KIND_PUMP_FUN] = {ANCHOR(1c, 92, de, 77, 26, c4, 69, d5), 0, 256, {5, 11}, 17, 0},
  // As much as two token accounts without extensions: the deposit of an account counts for 128 bytes more than it has.
  [KIND_RAYDIUM_LAUNCHLAB] =
    {ANCHOR(95, 27, de, 9b, d3, 7c, 98, 1a), ANCHOR(5f, c8, 47, 22, 08, 09, 0b, a6), 2 * TOKEN_BYTES + 128, {16, 17}, 0, 1},
};

/** One hop of a route; its list has the order of the venue's instruction, or of `HOP_STATE` and on in a short route. */
typedef struct { const Account *venue, *user_out, *list; u64 count, kind, bound; } Hop;

/** Bytes of the venue's instruction, written to SCRATCH. */
OUTLINE u64 write_call(u64 kind, int exact_out, int first_is_input, u64 input, u64 output) {
  const Adapter *adapter = &ADAPTERS[kind];
  u64 sell = !first_is_input ? 0 : exact_out ? RARE[kind].sell_exact_out : RARE[kind].sell;
  u8 *at = SCRATCH;
  put64(at, sell ? sell : exact_out ? adapter->exact_out : adapter->exact_in);
  at += adapter->tag_bytes;
  int output_first = exact_out && adapter->output_first;
  put64(at, output_first ? output : input), put64(at + 8, output_first ? input : output);
  at += 16;
  switch (adapter->tail) {
    case TAIL_MODE:
      *at++ = exact_out ? 2 : 0;
      break;
    case TAIL_WHIRLPOOL: // no limit of the price, which side is exact, direction, no further accounts
      put64(at, 0), put64(at + 8, 0), at[16] = !exact_out, at[17] = first_is_input, at[18] = 0;
      at += 19;
      break;
    case TAIL_CLMM:
      put64(at, 0), put64(at + 8, 0), at[16] = !exact_out;
      at += 17;
      break;
    case TAIL_SLICES: // of accounts for transfer hooks: none
      put32(at, 0);
      at += 4;
      break;
    case TAIL_FILL: // of buys: none in part
      if (!sell) *at++ = 0;
      break;
    case TAIL_SHARE: // of the fee for another account: none
      put64(at, 0);
      at += 8;
      break;
  }
  return at - SCRATCH;
}

/** Whether the venue moves coins of the user itself in this hop, in place of wrapped ones. */
OUTLINE int moves_coins(const Hop *hop) {
  const Account *quote = &hop->list[ADAPTERS[hop->kind].second];
  return RARE[hop->kind].coins_at != 0 && is_token(quote) && same(mint_of(quote), &WRAPPED_MINT);
}

/** How many accounts of the list the venue is called with. */
INLINE u64 called_with(const Hop *hop) { return moves_coins(hop) ? RARE[hop->kind].coins_at : hop->count; }

/** Fills METAS from a hop's list, and says whether the first of the user's two accounts is the input. */
OUTLINE u64 place_accounts(const Hop *hop, const Account *user, const Account *user_in, int *first_is_input) {
  const Adapter *adapter = &ADAPTERS[hop->kind];
  NEED(hop->count >= adapter->least && hop->count <= MAX_METAS, E_ACCOUNTS);
  const Account *first = &hop->list[adapter->first], *second = &hop->list[adapter->second], *out = hop->user_out;
  int given_first = same(first->key, user_in->key) && same(second->key, out->key);
  int given_second = !adapter->is_ordered && same(first->key, out->key) && same(second->key, user_in->key);
  NEED(given_first || given_second, E_PLAN);
  NEED(same(hop->list[adapter->user].key, user->key), E_PLAN);
  for (u64 i = 0, count = called_with(hop); i < count; i++) {
    const Account *each = &hop->list[i];
    if (i == adapter->user) {
      meta(i, each->key, RARE[hop->kind].rent_bytes != 0, 1);
      continue;
    }
    if (i != adapter->first && i != adapter->second) {
      NEED(!same(each->key, user->key) && !same(each->key, user_in->key) && !same(each->key, out->key), E_DUPLICATE);
      NEED(!is_any_token(each) || !same(owner_of(each), user->key), E_DUPLICATE);
    }
    meta(i, each->key, each->writable, 0);
  }
  *first_is_input = given_first;
  return 0;
}

/** Of Token-2022: the mint is in the list, and no extension of it lets anybody take, freeze or hold back tokens. */
OUTLINE u64 check_mint(const Hop *hop, const Account *token) {
  if (same(token->owner, &TOKEN_ID)) return 0;
  for (u64 i = 0; i < hop->count; i++)
    if (same(hop->list[i].key, mint_of(token))) return is_harmless_mint(&hop->list[i]) ? 0 : E_EXTENSION;
  return E_MINT;
}
