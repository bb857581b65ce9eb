// Constant-product pools of two SPL tokens.
// Invariants: a pool's address is derived from its mints, fee and creator, and its vaults and share mint from the pool, so
// that no account can be substituted; reserves are what the vaults hold; no swap and no change of liquidity ever lowers
// the product of the reserves per share.
#include "venue.h"

enum {
  E_INSTRUCTION = 6100, E_ACCOUNTS, E_POOL, E_SIGNER, E_VAULT, E_MINT, E_FEE, E_AMOUNT, E_OVERFLOW, E_SLIPPAGE, E_TOKEN,
  E_ADDRESS, E_EXISTS,
};
enum { INIT_POOL = 0, ADD_LIQUIDITY = 2, REMOVE_LIQUIDITY = 3 };
/** Shares without an owner: the first provider cannot make a share too expensive for those who follow. */
#define LOCKED_SHARES 1000
#define MAX_FEE 1000
#define EVENT ((u8 *)OWN_HEAP)

typedef struct { Slice seeds[6]; Signer signer; } PoolSigner;
#define POOL_SIGNER ((PoolSigner *)(OWN_HEAP + 256))
#define SEEDS ((Slice *)(OWN_HEAP + 512))

/** Lets the program sign for a pool whose state is written. */
OUTLINE const Signer *sign_for(const u8 *pool) {
  PoolSigner *s = POOL_SIGNER;
  s->seeds[0] = (Slice){(const u8 *)"pool", 4};
  s->seeds[1] = (Slice){pool + POOL_MINT_A, 32};
  s->seeds[2] = (Slice){pool + POOL_MINT_B, 32};
  s->seeds[3] = (Slice){pool + POOL_CREATOR, 32};
  s->seeds[4] = (Slice){pool + POOL_FEE, 2};
  s->seeds[5] = (Slice){pool + POOL_BUMP, 1};
  s->signer = (Signer){s->seeds, 6};
  return &s->signer;
}

INLINE int is_pool(const Account *pool) {
  return same(pool->owner, CALL->program) && pool->data_len == POOL_BYTES && get64(pool->data) == POOL_TAG;
}

/** Creates an account of the token program at the address derived from a name, the pool and perhaps a mint. */
OUTLINE u64 create_part(const Account *part, const char *name, u64 name_len, const Pubkey *mint, u64 bytes) {
  u8 *bump = (u8 *)(OWN_HEAP + 768);
  Pubkey *address = (Pubkey *)(OWN_HEAP + 776);
  u64 count = mint ? 3 : 2;
  SEEDS[0] = (Slice){(const u8 *)name, name_len};
  SEEDS[1] = (Slice){ACCOUNTS[2].key->x, 32};
  if (mint) SEEDS[2] = (Slice){mint->x, 32};
  NEED(sol_try_find_program_address(SEEDS, count, CALL->program, address, bump) == 0, E_ADDRESS);
  NEED(same(address, part->key), E_ADDRESS);
  SEEDS[count] = (Slice){bump, 1};
  Signer *signer = (Signer *)(OWN_HEAP + 816);
  *signer = (Signer){SEEDS, count + 1};
  return create_derived(&ACCOUNTS[0], part, bytes, &TOKEN_ID, signer);
}

/** 0 payer 1 creator 2 pool 3 mint A 4 mint B 5 vault A 6 vault B 7 share mint 8 token program 9 system program */
OUTLINE u64 init_pool(void) {
  Account *a = ACCOUNTS;
  NEED(CALL->data_len == 3, E_INSTRUCTION);
  NEED(CALL->count >= 10, E_ACCOUNTS);
  NEED(a[0].signer && a[1].signer, E_SIGNER);
  NEED(is_mint(&a[3]) && is_mint(&a[4]), E_MINT);
  NEED(before(a[3].key, a[4].key), E_MINT);
  u16 fee = get16(CALL->data + 1);
  NEED(fee <= MAX_FEE, E_FEE);
  NEED(zero(a[2].owner) && a[2].data_len == 0, E_EXISTS);
  u8 *state = (u8 *)(OWN_HEAP + 1024);
  put64(state, POOL_TAG);
  copy32(state + POOL_MINT_A, a[3].key), copy32(state + POOL_MINT_B, a[4].key);
  copy32(state + POOL_VAULT_A, a[5].key), copy32(state + POOL_VAULT_B, a[6].key);
  copy32(state + POOL_LP_MINT, a[7].key), copy32(state + POOL_CREATOR, a[1].key);
  put16(state + POOL_FEE, fee);
  const Signer *signer = sign_for(state);
  Pubkey *address = (Pubkey *)(OWN_HEAP + 776);
  NEED(sol_try_find_program_address(signer->seeds, 5, CALL->program, address, state + POOL_BUMP) == 0, E_ADDRESS);
  NEED(same(address, a[2].key), E_ADDRESS);
  TRY(create_derived(&a[0], &a[2], POOL_BYTES, CALL->program, signer));
  sol_memcpy_(a[2].data, state, POOL_BYTES);
  TRY(create_part(&a[5], "vault", 5, a[3].key, TOKEN_BYTES));
  TRY(init_token(&a[5], &a[3], a[2].key));
  TRY(create_part(&a[6], "vault", 5, a[4].key, TOKEN_BYTES));
  TRY(init_token(&a[6], &a[4], a[2].key));
  TRY(create_part(&a[7], "shares", 6, NULL, MINT_BYTES));
  TRY(init_mint(&a[7], 6, a[2].key));
  put64(EVENT, TAG('T', 'P', 'P', 'O', 'O', 'L', 'N', '1'));
  copy32(EVENT + 8, a[2].key), copy32(EVENT + 40, a[3].key), copy32(EVENT + 72, a[4].key), copy32(EVENT + 104, a[1].key);
  put64(EVENT + 136, fee);
  event(EVENT, 144);
  return 0;
}

OUTLINE u64 swap(void) {
  Account *a = ACCOUNTS;
  NEED(CALL->data_len == SWAP_BYTES, E_INSTRUCTION);
  NEED(CALL->count >= SWAP_ACCOUNTS, E_ACCOUNTS);
  NEED(is_pool(&a[AT_STATE]), E_POOL);
  NEED(a[AT_USER].signer, E_SIGNER);
  const u8 *pool = a[AT_STATE].data;
  int a_to_b = same(a[AT_VAULT_IN].key, pool + POOL_VAULT_A);
  NEED(a_to_b || same(a[AT_VAULT_IN].key, pool + POOL_VAULT_B), E_VAULT);
  NEED(same(a[AT_VAULT_OUT].key, pool + (a_to_b ? POOL_VAULT_B : POOL_VAULT_A)), E_VAULT);
  NEED(is_token(&a[AT_USER_IN]) && is_token(&a[AT_USER_OUT]), E_TOKEN);
  // A vault as the user's account would let a swap move what belongs to the pool.
  NEED(!same(owner_of(&a[AT_USER_IN]), a[AT_STATE].key) && !same(owner_of(&a[AT_USER_OUT]), a[AT_STATE].key), E_TOKEN);
  u64 amount = get64(CALL->data + 1), limit = get64(CALL->data + 9), in, out;
  u64 reserve_in = amount_of(&a[AT_VAULT_IN]), reserve_out = amount_of(&a[AT_VAULT_OUT]);
  NEED(amount != 0 && reserve_in != 0 && reserve_out != 0, E_AMOUNT);
  if (CALL->data[0] == SWAP_EXACT_IN) {
    u64 net;
    in = amount;
    NEED(!after_fee(in, get16(pool + POOL_FEE), &net) && !product_out(reserve_in, reserve_out, net, &out), E_OVERFLOW);
    NEED(out != 0, E_AMOUNT);
    NEED(out >= limit, E_SLIPPAGE);
  } else {
    out = amount;
    NEED(!pool_in(pool, reserve_in, reserve_out, out, &in), E_OVERFLOW);
    NEED(in <= limit, E_SLIPPAGE);
  }
  NEED(reserve_in + in > reserve_in, E_OVERFLOW);
  TRY(transfer(&a[AT_USER_IN], &a[AT_VAULT_IN], &a[AT_USER], in, NULL));
  TRY(transfer(&a[AT_VAULT_OUT], &a[AT_USER_OUT], &a[AT_STATE], out, sign_for(pool)));
  put64(EVENT, TAG('T', 'P', 'S', 'W', 'A', 'P', 'E', '1'));
  copy32(EVENT + 8, a[AT_STATE].key), copy32(EVENT + 40, a[AT_USER].key);
  put64(EVENT + 72, a_to_b), put64(EVENT + 80, in), put64(EVENT + 88, out);
  put64(EVENT + 96, amount_of(&a[AT_VAULT_IN])), put64(EVENT + 104, amount_of(&a[AT_VAULT_OUT]));
  event(EVENT, 112);
  return 0;
}

OUTLINE void liquidity_event(u64 tag, u64 a, u64 b, u64 shares) {
  put64(EVENT, tag);
  copy32(EVENT + 8, ACCOUNTS[0].key), copy32(EVENT + 40, ACCOUNTS[1].key);
  put64(EVENT + 72, a), put64(EVENT + 80, b), put64(EVENT + 88, shares);
  put64(EVENT + 96, amount_of(&ACCOUNTS[4])), put64(EVENT + 104, amount_of(&ACCOUNTS[5]));
  put64(EVENT + 112, supply_of(&ACCOUNTS[6]));
  event(EVENT, 120);
}

/** 0 pool 1 user 2 user's A 3 user's B 4 vault A 5 vault B 6 share mint 7 user's shares 8 token program */
OUTLINE u64 check_liquidity(void) {
  Account *a = ACCOUNTS;
  NEED(CALL->data_len == 25, E_INSTRUCTION);
  NEED(CALL->count >= 9, E_ACCOUNTS);
  NEED(is_pool(&a[0]), E_POOL);
  NEED(a[1].signer, E_SIGNER);
  const u8 *pool = a[0].data;
  NEED(same(a[4].key, pool + POOL_VAULT_A) && same(a[5].key, pool + POOL_VAULT_B), E_VAULT);
  NEED(same(a[6].key, pool + POOL_LP_MINT), E_MINT);
  NEED(is_token(&a[2]) && is_token(&a[3]) && is_token(&a[7]), E_TOKEN);
  NEED(!same(owner_of(&a[2]), a[0].key) && !same(owner_of(&a[3]), a[0].key), E_TOKEN);
  return 0;
}

/** u64 most of A | u64 most of B | u64 least shares */
OUTLINE u64 add_liquidity(void) {
  Account *a = ACCOUNTS;
  TRY(check_liquidity());
  u64 most_a = get64(CALL->data + 1), most_b = get64(CALL->data + 9), least = get64(CALL->data + 17);
  u64 in_a = most_a, in_b = most_b, shares;
  u64 held_a = amount_of(&a[4]), held_b = amount_of(&a[5]), supply = supply_of(&a[6]);
  if (supply == 0) {
    shares = sqrt_of_product(most_a, most_b);
    NEED(shares > LOCKED_SHARES, E_AMOUNT);
    shares -= LOCKED_SHARES;
  } else {
    u64 by_b, total = supply + LOCKED_SHARES;
    NEED(total > supply, E_OVERFLOW);
    int bad_a = muldiv(most_a, total, held_a, 0, &shares), bad_b = muldiv(most_b, total, held_b, 0, &by_b);
    // An amount whose shares do not fit is more than enough: the other one decides.
    NEED(!bad_a || !bad_b, E_OVERFLOW);
    if (bad_a || (!bad_b && by_b < shares)) shares = by_b;
    NEED(shares != 0, E_AMOUNT);
    NEED(!muldiv(shares, held_a, total, 1, &in_a) && !muldiv(shares, held_b, total, 1, &in_b), E_OVERFLOW);
  }
  NEED(shares >= least, E_SLIPPAGE);
  NEED(held_a + in_a >= held_a && held_b + in_b >= held_b, E_OVERFLOW);
  NEED(supply + shares + LOCKED_SHARES > supply, E_OVERFLOW);
  TRY(transfer(&a[2], &a[4], &a[1], in_a, NULL));
  TRY(transfer(&a[3], &a[5], &a[1], in_b, NULL));
  TRY(mint_to(&a[6], &a[7], &a[0], shares, sign_for(a[0].data)));
  liquidity_event(TAG('T', 'P', 'L', 'I', 'Q', 'A', 'D', '1'), in_a, in_b, shares);
  return 0;
}

/** u64 shares | u64 least of A | u64 least of B */
OUTLINE u64 remove_liquidity(void) {
  Account *a = ACCOUNTS;
  TRY(check_liquidity());
  u64 shares = get64(CALL->data + 1), least_a = get64(CALL->data + 9), least_b = get64(CALL->data + 17), out_a, out_b;
  u64 total = supply_of(&a[6]) + LOCKED_SHARES;
  NEED(shares != 0, E_AMOUNT);
  NEED(!muldiv(shares, amount_of(&a[4]), total, 0, &out_a) && !muldiv(shares, amount_of(&a[5]), total, 0, &out_b), E_OVERFLOW);
  NEED(out_a >= least_a && out_b >= least_b, E_SLIPPAGE);
  TRY(burn(&a[7], &a[6], &a[1], shares));
  TRY(transfer(&a[4], &a[2], &a[0], out_a, sign_for(a[0].data)));
  TRY(transfer(&a[5], &a[3], &a[0], out_b, sign_for(a[0].data)));
  liquidity_event(TAG('T', 'P', 'L', 'I', 'Q', 'R', 'M', '1'), out_a, out_b, shares);
  return 0;
}

u64 entrypoint(const u8 *input) {
  if (!read_call(input)) return E_ACCOUNTS;
  if (CALL->data_len == 0) return E_INSTRUCTION;
  switch (CALL->data[0]) {
    case INIT_POOL: return init_pool();
    case SWAP_EXACT_IN:
    case SWAP_EXACT_OUT: return swap();
    case ADD_LIQUIDITY: return add_liquidity();
    case REMOVE_LIQUIDITY: return remove_liquidity();
    default: return E_INSTRUCTION;
  }
}
