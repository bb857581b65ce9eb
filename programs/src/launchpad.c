// Bonding curves: a token is sold along a constant product of virtual reserves until the part for sale is gone, then the
// raised coins and the rest of the token become a pool of the AMM, whose shares can never be redeemed.
// Invariants: the quote vault always holds the raised coins and the unclaimed fees, the base vault what is not sold; the
// holders can sell everything back and be paid; a curve graduates once, and only into the AMM that the deployer named.
#include "deployment.h"
#include "venue.h"

enum {
  E_INSTRUCTION = 6200, E_ACCOUNTS, E_CURVE, E_SIGNER, E_VAULT, E_MINT, E_FEE, E_AMOUNT, E_OVERFLOW, E_SLIPPAGE, E_TOKEN,
  E_ADDRESS, E_EXISTS, E_COMPLETE, E_NOT_COMPLETE, E_CONFIG, E_AUTHORITY, E_CREATOR, E_TEXT, E_PROGRAM,
};
enum { CREATE = 0, GRADUATE = 2, INIT = 3, CLAIM_FEES = 5 };

#define SUPPLY 1000000000000000ull
#define FOR_SALE 793100000000000ull
#define VIRTUAL_BASE 1073000000000000ull
#define DECIMALS 6
#define LEAST_VIRTUAL_QUOTE 1000000ull
#define MOST_VIRTUAL_QUOTE 1000000000000000000ull
#define MAX_FEE 1000
enum { MAX_NAME = 32, MAX_SYMBOL = 12, MAX_URI = 128, CREATE_HEAD = 16 };

#define CONFIG_TAG TAG('T', 'P', 'L', 'N', 'C', 'F', 'G', '1')
#define CONFIG_BYTES 40
#define EVENT ((u8 *)OWN_HEAP)
#define SEEDS ((Slice *)(OWN_HEAP + 512))
#define SIGNER ((Signer *)(OWN_HEAP + 640))
#define FOUND ((Pubkey *)(OWN_HEAP + 672))
#define BUMP ((u8 *)(OWN_HEAP + 704))
#define CURVE_SEEDS ((Slice *)(OWN_HEAP + 768))
#define CURVE_SIGNER ((Signer *)(OWN_HEAP + 832))

INLINE int is_curve(const Account *a) {
  return same(a->owner, CALL->program) && a->data_len == CURVE_BYTES && get64(a->data) == CURVE_TAG;
}
INLINE int is_config(const Account *a) {
  return same(a->owner, CALL->program) && a->data_len == CONFIG_BYTES && get64(a->data) == CONFIG_TAG;
}

/** Lets the program sign for a curve. */
OUTLINE const Signer *sign_for(const u8 *mint, const u8 *bump) {
  CURVE_SEEDS[0] = (Slice){(const u8 *)"curve", 5};
  CURVE_SEEDS[1] = (Slice){mint, 32};
  CURVE_SEEDS[2] = (Slice){bump, 1};
  *CURVE_SIGNER = (Signer){CURVE_SEEDS, 3};
  return CURVE_SIGNER;
}

/** Creates a token account of a curve at the address derived from SEEDS[0..count). */
OUTLINE u64 create_holder(const Account *payer, const Account *made, const Account *mint, const Pubkey *owner, u64 count) {
  NEED(sol_try_find_program_address(SEEDS, count, CALL->program, FOUND, BUMP) == 0, E_ADDRESS);
  NEED(same(FOUND, made->key), E_ADDRESS);
  SEEDS[count] = (Slice){BUMP, 1};
  *SIGNER = (Signer){SEEDS, count + 1};
  TRY(create_derived(payer, made, TOKEN_BYTES, &TOKEN_ID, SIGNER));
  return init_token(made, mint, owner);
}
OUTLINE u64 create_vault(const Account *payer, const Account *vault, const Account *mint, const Account *curve) {
  SEEDS[0] = (Slice){(const u8 *)"vault", 5};
  SEEDS[1] = (Slice){curve->key->x, 32};
  SEEDS[2] = (Slice){mint->key->x, 32};
  return create_holder(payer, vault, mint, curve->key, 3);
}

/** 0 upgrade authority 1 config 2 program data 3 system program | AMM program[32] */
OUTLINE u64 init(void) {
  Account *a = ACCOUNTS;
  NEED(CALL->data_len == 33, E_INSTRUCTION);
  NEED(CALL->count >= 4, E_ACCOUNTS);
  NEED(a[0].signer, E_SIGNER);
  NEED(deployed_by(a[0].key, &a[2], SEEDS, FOUND), E_AUTHORITY);
  SEEDS[0] = (Slice){(const u8 *)"config", 6};
  NEED(sol_try_find_program_address(SEEDS, 1, CALL->program, FOUND, BUMP) == 0, E_ADDRESS);
  NEED(same(FOUND, a[1].key), E_ADDRESS);
  NEED(zero(a[1].owner) && a[1].data_len == 0, E_EXISTS);
  SEEDS[1] = (Slice){BUMP, 1};
  *SIGNER = (Signer){SEEDS, 2};
  TRY(create_derived(&a[0], &a[1], CONFIG_BYTES, CALL->program, SIGNER));
  put64(a[1].data, CONFIG_TAG), copy32(a[1].data + 8, CALL->data + 1);
  return 0;
}

/** 0 creator 1 mint (signs) 2 curve 3 quote mint 4 base vault 5 quote vault 6 token program 7 system program
 *  | virtual quote u64 | fee u16 | pool's fee u16 | lengths of name, symbol, URI u8 each | their bytes */
OUTLINE u64 create(void) {
  Account *a = ACCOUNTS, *mint = &a[1], *curve = &a[2];
  const u8 *data = CALL->data;
  NEED(CALL->data_len >= CREATE_HEAD, E_INSTRUCTION);
  NEED(CALL->count >= 8, E_ACCOUNTS);
  NEED(a[0].signer && mint->signer, E_SIGNER);
  u64 virtual_quote = get64(data + 1);
  u16 fee = get16(data + 9), pool_fee = get16(data + 11);
  u64 texts = (u64)data[13] + data[14] + data[15];
  NEED(data[13] >= 1 && data[13] <= MAX_NAME && data[14] >= 1 && data[14] <= MAX_SYMBOL && data[15] <= MAX_URI, E_TEXT);
  NEED(CALL->data_len == CREATE_HEAD + texts, E_INSTRUCTION);
  NEED(virtual_quote >= LEAST_VIRTUAL_QUOTE && virtual_quote <= MOST_VIRTUAL_QUOTE, E_AMOUNT);
  NEED(fee <= MAX_FEE && pool_fee <= MAX_FEE, E_FEE);
  NEED(is_mint(&a[3]) && !same(mint->key, a[3].key), E_MINT);
  NEED(zero(mint->owner) && mint->data_len == 0 && zero(curve->owner), E_EXISTS);
  SEEDS[0] = (Slice){(const u8 *)"curve", 5};
  SEEDS[1] = (Slice){mint->key->x, 32};
  u8 *bump = (u8 *)(OWN_HEAP + 712);
  NEED(sol_try_find_program_address(SEEDS, 2, CALL->program, FOUND, bump) == 0, E_ADDRESS);
  NEED(same(FOUND, curve->key), E_ADDRESS);
  const Signer *signer = sign_for(mint->key->x, bump);
  TRY(create_derived(&a[0], curve, CURVE_BYTES, CALL->program, signer));
  // The mint's own key signs this transaction, so that no derived signature is needed.
  TRY(create_derived(&a[0], mint, MINT_BYTES, &TOKEN_ID, NULL));
  TRY(init_mint(mint, DECIMALS, curve->key));
  TRY(create_vault(&a[0], &a[4], mint, curve));
  TRY(create_vault(&a[0], &a[5], &a[3], curve));
  TRY(mint_to(mint, &a[4], curve, SUPPLY, signer));
  TRY(end_minting(mint, curve, signer));
  u8 *c = curve->data;
  put64(c, CURVE_TAG);
  copy32(c + CURVE_MINT, mint->key), copy32(c + CURVE_QUOTE_MINT, a[3].key);
  copy32(c + CURVE_BASE_VAULT, a[4].key), copy32(c + CURVE_QUOTE_VAULT, a[5].key), copy32(c + CURVE_CREATOR, a[0].key);
  put64(c + CURVE_VIRTUAL_QUOTE, virtual_quote), put64(c + CURVE_VIRTUAL_BASE, VIRTUAL_BASE);
  put64(c + CURVE_REMAINING, FOR_SALE), put64(c + CURVE_FOR_SALE, FOR_SALE), put64(c + CURVE_FOR_POOL, SUPPLY - FOR_SALE);
  put16(c + CURVE_FEE, fee), put16(c + CURVE_POOL_FEE, pool_fee), c[CURVE_BUMP] = *bump;
  sol_memcpy_(c + CURVE_TEXTS, data + 13, 3 + texts);
  put64(EVENT, TAG('T', 'P', 'L', 'N', 'C', 'R', 'E', '1'));
  copy32(EVENT + 8, curve->key), copy32(EVENT + 40, mint->key), copy32(EVENT + 72, a[3].key), copy32(EVENT + 104, a[0].key);
  put64(EVENT + 136, virtual_quote), put64(EVENT + 144, VIRTUAL_BASE), put64(EVENT + 152, FOR_SALE), put64(EVENT + 160, SUPPLY);
  sol_memcpy_(EVENT + 168, data + 9, 7 + texts);
  event(EVENT, 175 + texts);
  return 0;
}

typedef struct { u64 in, out, fee, quote, base; } Trade;
#define TRADE ((Trade *)(OWN_HEAP + 896))

OUTLINE u64 buy(const u8 *c, int exact_out, u64 amount) {
  Trade *t = TRADE;
  u64 net, remaining = get64(c + CURVE_REMAINING);
  t->in = amount, t->out = amount;
  if (!exact_out) {
    NEED(!after_fee(amount, get16(c + CURVE_FEE), &net), E_OVERFLOW);
    NEED(!product_out(get64(c + CURVE_VIRTUAL_QUOTE), get64(c + CURVE_VIRTUAL_BASE), net, &t->out), E_OVERFLOW);
    NEED(t->out != 0, E_AMOUNT);
    // A buy beyond what is left takes what is left and pays only for that.
    if (t->out > remaining) exact_out = 1, t->out = remaining;
  }
  if (exact_out) {
    NEED(!curve_in(c, 1, t->out, &t->in) && !after_fee(t->in, get16(c + CURVE_FEE), &net), E_OVERFLOW);
  }
  t->fee = t->in - net, t->quote = net, t->base = t->out;
  return 0;
}

OUTLINE u64 sell(const u8 *c, int exact_out, u64 amount) {
  Trade *t = TRADE;
  u64 gross, fee_bps = get16(c + CURVE_FEE);
  t->in = amount, t->out = amount;
  if (exact_out) {
    NEED(!before_fee(amount, fee_bps, &gross) && !curve_in(c, 0, amount, &t->in), E_OVERFLOW);
  } else {
    NEED(!product_out(get64(c + CURVE_VIRTUAL_BASE), get64(c + CURVE_VIRTUAL_QUOTE), amount, &gross), E_OVERFLOW);
    NEED(!after_fee(gross, fee_bps, &t->out), E_OVERFLOW);
    NEED(t->out != 0, E_AMOUNT);
  }
  NEED(gross <= get64(c + CURVE_REAL_QUOTE), E_OVERFLOW);
  NEED(t->in <= get64(c + CURVE_FOR_SALE) - get64(c + CURVE_REMAINING), E_AMOUNT);
  t->fee = gross - t->out, t->quote = gross, t->base = t->in;
  return 0;
}

INLINE void add_to(u8 *field, u64 amount, int up) { put64(field, up ? get64(field) + amount : get64(field) - amount); }

OUTLINE u64 swap(void) {
  Account *a = ACCOUNTS;
  NEED(CALL->data_len == SWAP_BYTES, E_INSTRUCTION);
  NEED(CALL->count >= SWAP_ACCOUNTS, E_ACCOUNTS);
  NEED(is_curve(&a[AT_STATE]) && a[AT_STATE].writable, E_CURVE);
  NEED(a[AT_USER].signer, E_SIGNER);
  u8 *c = a[AT_STATE].data;
  int buys = same(a[AT_VAULT_IN].key, c + CURVE_QUOTE_VAULT);
  NEED(buys || same(a[AT_VAULT_IN].key, c + CURVE_BASE_VAULT), E_VAULT);
  NEED(same(a[AT_VAULT_OUT].key, c + (buys ? CURVE_BASE_VAULT : CURVE_QUOTE_VAULT)), E_VAULT);
  NEED(is_token(&a[AT_USER_IN]) && is_token(&a[AT_USER_OUT]), E_TOKEN);
  NEED(!same(owner_of(&a[AT_USER_IN]), a[AT_STATE].key) && !same(owner_of(&a[AT_USER_OUT]), a[AT_STATE].key), E_TOKEN);
  NEED(c[CURVE_STATUS] == TRADING, E_COMPLETE);
  u64 amount = get64(CALL->data + 1), limit = get64(CALL->data + 9);
  int exact_out = CALL->data[0] == SWAP_EXACT_OUT;
  NEED(amount != 0, E_AMOUNT);
  TRY(buys ? buy(c, exact_out, amount) : sell(c, exact_out, amount));
  Trade *t = TRADE;
  NEED(exact_out ? t->in <= limit : t->out >= limit, E_SLIPPAGE);
  TRY(transfer(&a[AT_USER_IN], &a[AT_VAULT_IN], &a[AT_USER], t->in, NULL));
  TRY(transfer(&a[AT_VAULT_OUT], &a[AT_USER_OUT], &a[AT_STATE], t->out, sign_for(c + CURVE_MINT, c + CURVE_BUMP)));
  add_to(c + CURVE_VIRTUAL_QUOTE, t->quote, buys), add_to(c + CURVE_REAL_QUOTE, t->quote, buys);
  add_to(c + CURVE_VIRTUAL_BASE, t->base, !buys), add_to(c + CURVE_REMAINING, t->base, !buys);
  add_to(c + CURVE_FEES, t->fee, 1);
  if (get64(c + CURVE_REMAINING) == 0) c[CURVE_STATUS] = COMPLETE;
  put64(EVENT, TAG('T', 'P', 'L', 'N', 'T', 'R', 'D', '1'));
  copy32(EVENT + 8, a[AT_STATE].key), copy32(EVENT + 40, a[AT_USER].key);
  put64(EVENT + 72, buys), put64(EVENT + 80, t->in), put64(EVENT + 88, t->out), put64(EVENT + 96, t->fee);
  sol_memcpy_(EVENT + 104, c + CURVE_VIRTUAL_QUOTE, 32);
  event(EVENT, 136);
  return 0;
}

enum {
  G_PAYER, G_CURVE, G_BASE_VAULT, G_QUOTE_VAULT, G_BASE_MINT, G_QUOTE_MINT, G_AMM, G_POOL, G_POOL_BASE, G_POOL_QUOTE,
  G_SHARE_MINT, G_SHARES, G_TOKEN, G_SYSTEM, G_CONFIG, G_ACCOUNTS,
};

/** Anyone may pay for it. */
OUTLINE u64 graduate(void) {
  Account *a = ACCOUNTS, *curve = &a[G_CURVE];
  NEED(CALL->data_len == 1, E_INSTRUCTION);
  NEED(CALL->count >= G_ACCOUNTS, E_ACCOUNTS);
  NEED(a[G_PAYER].signer, E_SIGNER);
  NEED(is_curve(curve) && curve->writable, E_CURVE);
  u8 *c = curve->data;
  NEED(c[CURVE_STATUS] == COMPLETE, E_NOT_COMPLETE);
  NEED(is_config(&a[G_CONFIG]), E_CONFIG);
  NEED(same(a[G_AMM].key, a[G_CONFIG].data + 8), E_PROGRAM);
  NEED(same(a[G_BASE_VAULT].key, c + CURVE_BASE_VAULT) && same(a[G_QUOTE_VAULT].key, c + CURVE_QUOTE_VAULT), E_VAULT);
  NEED(same(a[G_BASE_MINT].key, c + CURVE_MINT) && same(a[G_QUOTE_MINT].key, c + CURVE_QUOTE_MINT), E_MINT);
  u64 quote = get64(c + CURVE_REAL_QUOTE), base = get64(c + CURVE_FOR_POOL);
  const Signer *signer = sign_for(c + CURVE_MINT, c + CURVE_BUMP);
  int base_first = before(a[G_BASE_MINT].key, a[G_QUOTE_MINT].key);
  u64 first = base_first ? 0 : 1;
  meta(0, a[G_PAYER].key, 1, 1), meta(1, curve->key, 0, 1), meta(2, a[G_POOL].key, 1, 0);
  meta(3 + first, a[G_BASE_MINT].key, 0, 0), meta(4 - first, a[G_QUOTE_MINT].key, 0, 0);
  meta(5 + first, a[G_POOL_BASE].key, 1, 0), meta(6 - first, a[G_POOL_QUOTE].key, 1, 0);
  meta(7, a[G_SHARE_MINT].key, 1, 0), meta(8, &TOKEN_ID, 0, 0), meta(9, &SYSTEM_ID, 0, 0);
  SCRATCH[0] = 0, put16(SCRATCH + 1, get16(c + CURVE_POOL_FEE));
  TRY(invoke(a[G_AMM].key, 10, 3, signer));
  // The shares belong to the curve, and no instruction moves them.
  SEEDS[0] = (Slice){(const u8 *)"shares", 6};
  SEEDS[1] = (Slice){curve->key->x, 32};
  TRY(create_holder(&a[G_PAYER], &a[G_SHARES], &a[G_SHARE_MINT], curve->key, 2));
  meta(0, a[G_POOL].key, 0, 0), meta(1, curve->key, 0, 1);
  meta(2 + first, a[G_BASE_VAULT].key, 1, 0), meta(3 - first, a[G_QUOTE_VAULT].key, 1, 0);
  meta(4 + first, a[G_POOL_BASE].key, 1, 0), meta(5 - first, a[G_POOL_QUOTE].key, 1, 0);
  meta(6, a[G_SHARE_MINT].key, 1, 0), meta(7, a[G_SHARES].key, 1, 0), meta(8, &TOKEN_ID, 0, 0);
  SCRATCH[0] = 2, put64(SCRATCH + 1, base_first ? base : quote), put64(SCRATCH + 9, base_first ? quote : base);
  put64(SCRATCH + 17, 1);
  TRY(invoke(a[G_AMM].key, 9, 25, signer));
  c[CURVE_STATUS] = GRADUATED;
  put64(c + CURVE_REAL_QUOTE, 0), put64(c + CURVE_FOR_POOL, 0), copy32(c + CURVE_POOL, a[G_POOL].key);
  put64(EVENT, TAG('T', 'P', 'L', 'N', 'G', 'R', 'A', '1'));
  copy32(EVENT + 8, curve->key), copy32(EVENT + 40, a[G_BASE_MINT].key), copy32(EVENT + 72, a[G_POOL].key);
  put64(EVENT + 104, base), put64(EVENT + 112, quote), put64(EVENT + 120, get64(a[G_SHARES].data + 64));
  event(EVENT, 128);
  return 0;
}

/** 0 curve 1 creator 2 quote vault 3 creator's quote account 4 token program */
OUTLINE u64 claim_fees(void) {
  Account *a = ACCOUNTS;
  NEED(CALL->data_len == 1, E_INSTRUCTION);
  NEED(CALL->count >= 5, E_ACCOUNTS);
  NEED(is_curve(&a[0]) && a[0].writable, E_CURVE);
  NEED(a[1].signer, E_SIGNER);
  u8 *c = a[0].data;
  NEED(same(a[1].key, c + CURVE_CREATOR), E_CREATOR);
  NEED(same(a[2].key, c + CURVE_QUOTE_VAULT), E_VAULT);
  NEED(!same(a[2].key, a[3].key), E_TOKEN);
  u64 fees = get64(c + CURVE_FEES);
  NEED(fees != 0, E_AMOUNT);
  put64(c + CURVE_FEES, 0);
  return transfer(&a[2], &a[3], &a[0], fees, sign_for(c + CURVE_MINT, c + CURVE_BUMP));
}

u64 entrypoint(const u8 *input) {
  NEED(read_call(input), E_ACCOUNTS);
  NEED(CALL->data_len != 0, E_INSTRUCTION);
  switch (CALL->data[0]) {
    case INIT: return init();
    case CREATE: return create();
    case SWAP_EXACT_IN:
    case SWAP_EXACT_OUT: return swap();
    case GRADUATE: return graduate();
    case CLAIM_FEES: return claim_fees();
    default: return E_INSTRUCTION;
  }
}
