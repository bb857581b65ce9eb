// The swap program: routes of 1 to 4 legs with 1 to 4 hops each over venues that the deployment's config names as live.
// Invariants: a venue sees only the accounts of its own hop, and the user's accounts among them come back as they were but
// for the two amounts; the user never gives more than the limit nor receives less than it; what a venue leaves over stays
// in the user's own accounts, and the program itself holds nothing.
#define MAX_ACCOUNTS 128
#include "coins.h"

enum { FLAG_WRAP = 1, FLAG_UNWRAP = 2, FLAG_TEMPORARY = 4 };
enum { AT_CONFIG, AT_OWNER, AT_SOURCE, AT_DESTINATION, AT_FEE, AT_TOKEN_PROGRAM, AT_SYSTEM_PROGRAM, AT_WRAPPED_MINT, AT_HOPS };
/** Of a hop in a route of the short form, which reaches venues of our own two kinds alone. */
enum { HOP_PROGRAM, HOP_STATE, HOP_VAULT_IN, HOP_VAULT_OUT, HOP_USER_OUT, HOP_ACCOUNTS };
/** Of a hop in the other form: its program, the user's output, then the list in the order of the venue's instruction. */
enum { LIST_PROGRAM, LIST_USER_OUT, LIST_HEAD };
#define MAX_LEGS 4
#define MAX_HOPS 4
#define ROUTE_HEAD 21
/** A leg in the data, and each of its hops where they have lists: how many accounts, and the most input or 0. */
#define LEG_BYTES 3
#define HOP_BYTES 9

typedef struct {
  u64 exact_out, has_lists, flags, amount, limit, fee_bps, legs;
  /** Sums over the legs; `given` without a fee on the input. */
  u64 given, received, fee;
  /** Amounts before each hop of the leg at hand and after its last one; only for an exact output. */
  u64 need[MAX_HOPS + 1];
  u64 user_in_before, user_out_before, user_in_bytes, user_out_bytes;
  Purse purse;
} Route;
#define ROUTE ((Route *)OWN_HEAP)
/** User's input and output account as they were before the hop. */
#define IN_BEFORE ((u8 *)(OWN_HEAP + 4096))
#define OUT_BEFORE ((u8 *)(OWN_HEAP + 4096 + MOST_TOKEN_BYTES))
/** All hops of the route, leg by leg. */
#define HOPS ((Hop *)(OWN_HEAP + 3072))

INLINE int users(const Account *account) {
  return is_any_token(account) && same(owner_of(account), ACCOUNTS[AT_OWNER].key);
}

INLINE u64 leg_bytes(const u8 *plan) { return LEG_BYTES + (ROUTE->has_lists ? HOP_BYTES * plan[2] : 0); }

OUTLINE u64 read_route(void) {
  Route *r = ROUTE;
  const u8 *data = CALL->data;
  NEED(CALL->data_len >= ROUTE_HEAD, E_INSTRUCTION);
  r->exact_out = data[0] == ROUTE_EXACT_OUT || data[0] == VENUES_EXACT_OUT;
  r->has_lists = data[0] == VENUES_EXACT_IN || data[0] == VENUES_EXACT_OUT;
  r->flags = data[1], r->amount = get64(data + 2), r->limit = get64(data + 10);
  r->fee_bps = get16(data + 18), r->legs = data[20];
  NEED(r->legs >= 1 && r->legs <= MAX_LEGS, E_INSTRUCTION);
  u64 bytes = ROUTE_HEAD;
  for (u64 leg = 0; leg < r->legs; leg++) {
    NEED(CALL->data_len >= bytes + LEG_BYTES, E_INSTRUCTION);
    bytes += leg_bytes(data + bytes);
  }
  NEED(CALL->data_len == bytes, E_INSTRUCTION);
  NEED(r->flags < 8 && (r->flags & 3) != 3 && r->flags != FLAG_TEMPORARY, E_FLAGS);
  NEED(r->amount != 0, E_AMOUNT);
  const u8 *plan = data + ROUTE_HEAD;
  u64 shares = 0;
  for (u64 leg = 0; leg < r->legs; leg++, plan += leg_bytes(plan)) {
    NEED(get16(plan) != 0 && plan[2] >= 1 && plan[2] <= MAX_HOPS, E_PLAN);
    shares += get16(plan);
  }
  NEED(shares == BPS, E_PLAN);
  NEED(CALL->count >= AT_HOPS, E_ACCOUNTS);
  return 0;
}

/** Finds the accounts of every hop, and its kind in the live row of its venue. */
OUTLINE u64 lay_out(void) {
  Route *r = ROUTE;
  const u8 *plan = CALL->data + ROUTE_HEAD, *config = ACCOUNTS[AT_CONFIG].data;
  u64 at = AT_HOPS;
  Hop *hop = HOPS;
  for (u64 leg = 0; leg < r->legs; leg++, plan += leg_bytes(plan)) {
    for (u64 h = 0; h < plan[2]; h++, hop++) {
      const Account *first = &ACCOUNTS[at];
      if (r->has_lists) {
        const u8 *said = plan + LEG_BYTES + HOP_BYTES * h;
        hop->count = said[0], hop->bound = get64(said + 1);
        hop->list = first + LIST_HEAD, hop->user_out = first + LIST_USER_OUT;
        at += LIST_HEAD + hop->count;
        NEED(hop->bound == 0 || (r->exact_out && h > 0), E_PLAN);
      } else {
        hop->count = HOP_ACCOUNTS, hop->bound = 0;
        hop->list = first + HOP_STATE, hop->user_out = first + HOP_USER_OUT;
        at += HOP_ACCOUNTS;
      }
      NEED(at <= CALL->count, E_ACCOUNTS);
      hop->venue = first;
      const u8 *row = find_row((u8 *)config, first->key);
      NEED(row, E_NO_ROW);
      NEED(row[ROW_LIVE], E_ROW_DEAD);
      hop->kind = row[ROW_KIND];
      NEED(hop->kind < KINDS && (r->has_lists || hop->kind <= KIND_CURVE), E_KIND);
      NEED(!r->has_lists || hop->count >= ADAPTERS[hop->kind].least, E_ACCOUNTS);
    }
  }
  return at == CALL->count ? 0 : E_ACCOUNTS;
}

OUTLINE u64 check_accounts(void) {
  Route *r = ROUTE;
  Account *a = ACCOUNTS, *config = &a[AT_CONFIG];
  NEED(is_config(config), E_CONFIG);
  NEED(!config->data[CONFIG_PAUSED], E_PAUSED);
  NEED(a[AT_OWNER].signer, E_SIGNER);
  TRY(lay_out());
  NEED(same(a[AT_TOKEN_PROGRAM].key, &TOKEN_ID) && same(a[AT_SYSTEM_PROGRAM].key, &SYSTEM_ID), E_PROGRAM);
  NEED(same(a[AT_WRAPPED_MINT].key, &WRAPPED_MINT), E_PROGRAM);
  NEED(!same(a[AT_SOURCE].key, a[AT_DESTINATION].key), E_DUPLICATE);
  // It holds wrapped coins for the time of one route.
  if (r->flags & FLAG_TEMPORARY)
    TRY(open_wrapped("wrap", &a[r->flags & FLAG_WRAP ? AT_SOURCE : AT_DESTINATION], &a[AT_OWNER], &a[AT_WRAPPED_MINT]));
  NEED(users(&a[AT_SOURCE]), E_TOKEN_ACCOUNT);
  NEED(is_any_token(&a[AT_DESTINATION]), E_TOKEN_ACCOUNT);
  NEED(!same(mint_of(&a[AT_SOURCE]), mint_of(&a[AT_DESTINATION])), E_MINT);
  if (r->flags & FLAG_WRAP) {
    NEED(same(mint_of(&a[AT_SOURCE]), &WRAPPED_MINT), E_MINT);
    TRY(pay(&a[AT_OWNER], &a[AT_SOURCE], r->exact_out ? r->limit : r->amount));
    TRY(sync_wrapped(&a[AT_SOURCE]));
  }
  if (r->flags & FLAG_UNWRAP) {
    NEED(same(mint_of(&a[AT_DESTINATION]), &WRAPPED_MINT), E_MINT);
    NEED(users(&a[AT_DESTINATION]), E_TOKEN_ACCOUNT);
  }
  if (r->fee_bps == 0) return 0;
  NEED(r->fee_bps <= get16(config->data + CONFIG_MAX_FEE), E_FEE);
  const Account *fee = &a[AT_FEE], *taken_from = &a[r->exact_out ? AT_SOURCE : AT_DESTINATION];
  NEED(is_any_token(fee) && same(mint_of(fee), mint_of(taken_from)), E_FEE_ACCOUNT);
  NEED(zero(config->data + CONFIG_FEE_OWNER) || same(owner_of(fee), config->data + CONFIG_FEE_OWNER), E_FEE_ACCOUNT);
  NEED(!same(fee->key, a[AT_SOURCE].key) && !same(fee->key, a[AT_DESTINATION].key), E_DUPLICATE);
  // The user pays the fee out of an account of his own.
  NEED(users(taken_from), E_TOKEN_ACCOUNT);
  return 0;
}

/** Of a hop over one of our own venues. */
INLINE const Account *state_of(const Hop *hop) { return &hop->list[0]; }
INLINE const Account *vault_in_of(const Hop *hop) { return &hop->list[ROUTE->has_lists ? AT_VAULT_IN : 1]; }
INLINE const Account *vault_out_of(const Hop *hop) { return &hop->list[ROUTE->has_lists ? AT_VAULT_OUT : 2]; }

/** Input that one of our own venues asks for an output, from its state on chain. */
OUTLINE u64 ask_state(const Hop *hop, u64 out, u64 *in) {
  const Account *state = state_of(hop), *vault_in = vault_in_of(hop), *vault_out = vault_out_of(hop);
  int bad;
  NEED(same(state->owner, hop->venue->key), E_VENUE);
  if (hop->kind == KIND_POOL) {
    NEED(state->data_len == POOL_BYTES && is_token(vault_in) && is_token(vault_out), E_VENUE);
    bad = pool_in(state->data, amount_of(vault_in), amount_of(vault_out), out, in);
  } else {
    NEED(state->data_len == CURVE_BYTES, E_VENUE);
    bad = curve_in(state->data, same(vault_in->key, state->data + CURVE_QUOTE_VAULT), out, in);
  }
  return bad ? E_OVERFLOW : 0;
}

/** Fills `need` of a leg from its last hop to its first. */
OUTLINE u64 plan_exact_out(const Hop *leg, u64 hops, u64 out) {
  Route *r = ROUTE;
  r->need[hops] = out;
  for (u64 h = hops; h-- > 0;) {
    const Hop *hop = &leg[h];
    if (hop->bound != 0) {
      r->need[h] = hop->bound;
    } else if (hop->kind <= KIND_CURVE) {
      // Each amount is computed from a state that no other hop of the leg changes.
      for (u64 other = h + 1; other < hops; other++)
        NEED(!same(state_of(hop)->key, state_of(&leg[other])->key), E_DUPLICATE);
      TRY(ask_state(hop, r->need[h + 1], &r->need[h]));
    } else {
      // Only the venue itself can say what it asks: the first hop may take all that is left of the limit.
      NEED(h == 0, E_PLAN);
      r->need[0] = r->limit - r->given;
    }
  }
  return 0;
}

/** The call of a hop in the short form; answers the bytes of its data by `bytes`. */
OUTLINE u64 place_short(const Hop *hop, const Account *user_in, u64 amount, u64 wanted, u64 *bytes) {
  const Account *state = state_of(hop), *vault_in = vault_in_of(hop), *vault_out = vault_out_of(hop), *out = hop->user_out;
  NEED(is_token(user_in) && is_token(out), E_TOKEN_ACCOUNT);
  NEED(!same(vault_in->key, vault_out->key), E_DUPLICATE);
  for (const Account *each = state; each <= vault_out; each++)
    NEED(!same(each->key, user_in->key) && !same(each->key, out->key) && !users(each), E_DUPLICATE);
  meta(AT_STATE, state->key, state->writable, 0);
  meta(AT_USER, ACCOUNTS[AT_OWNER].key, 0, 1);
  meta(AT_USER_IN, user_in->key, 1, 0), meta(AT_USER_OUT, out->key, 1, 0);
  meta(AT_VAULT_IN, vault_in->key, vault_in->writable, 0);
  meta(AT_VAULT_OUT, vault_out->key, vault_out->writable, 0);
  meta(AT_TOKEN, &TOKEN_ID, 0, 0);
  *bytes = write_call(KIND_POOL, ROUTE->exact_out, 1, amount, wanted);
  return 0;
}

OUTLINE u64 place_list(const Hop *hop, const Account *user_in, u64 amount, u64 wanted, u64 *bytes) {
  int first_is_input;
  const Account *user = &ACCOUNTS[AT_OWNER];
  TRY(open_purse(hop, user, &ROUTE->purse));
  if (moves_coins(hop)) TRY(unwrap_for(hop, user, user_in, amount, &ACCOUNTS[AT_WRAPPED_MINT], &ROUTE->purse));
  TRY(place_accounts(hop, user, user_in, &first_is_input));
  // Where only the instruction for exact inputs sells, no output can be asked of it.
  const Rare *rare = &RARE[hop->kind];
  NEED(!ROUTE->exact_out || !first_is_input || rare->sell == 0 || rare->sell_exact_out != 0, E_PLAN);
  TRY(check_mint(hop, user_in));
  TRY(check_mint(hop, hop->user_out));
  *bytes = write_call(hop->kind, ROUTE->exact_out, first_is_input, amount, wanted);
  return 0;
}

/** What the hop did to the wallet itself. */
OUTLINE u64 settle_purse(const Hop *hop) {
  const Account *user = &ACCOUNTS[AT_OWNER];
  return moves_coins(hop) ? wrap_rest(hop, user, &ROUTE->purse) : close_purse(hop, user, &ROUTE->purse);
}

/** Lets the venue swap, then holds it to what it was asked. */
OUTLINE u64 run_hop(const Hop *hop, const Account *user_in, u64 amount, u64 wanted) {
  Route *r = ROUTE;
  const Account *user_out = hop->user_out;
  u64 bytes;
  NEED(is_any_token(user_in) && is_any_token(user_out), E_TOKEN_ACCOUNT);
  NEED(!same(user_in->key, user_out->key), E_DUPLICATE);
  r->user_in_bytes = length_of(user_in), r->user_out_bytes = length_of(user_out);
  sol_memcpy_(IN_BEFORE, user_in->data, r->user_in_bytes);
  sol_memcpy_(OUT_BEFORE, user_out->data, r->user_out_bytes);
  if (r->has_lists)
    TRY(place_list(hop, user_in, amount, wanted, &bytes));
  else
    TRY(place_short(hop, user_in, amount, wanted, &bytes));
  TRY(invoke(hop->venue->key, r->has_lists ? called_with(hop) : SWAP_ACCOUNTS, bytes, NULL));
  if (r->has_lists) TRY(settle_purse(hop));
  NEED(unchanged(user_in, IN_BEFORE, r->user_in_bytes) && unchanged(user_out, OUT_BEFORE, r->user_out_bytes), E_TAMPERED);
  u64 in_before = get64(IN_BEFORE + 64), out_before = get64(OUT_BEFORE + 64);
  NEED(amount_of(user_in) <= in_before && in_before - amount_of(user_in) <= amount, E_OVERSPENT);
  NEED(amount_of(user_out) >= out_before && amount_of(user_out) - out_before >= wanted, E_SHORT);
  r->user_in_before = in_before, r->user_out_before = out_before;
  return 0;
}

OUTLINE u64 run_leg(const Hop *leg, u64 hops, u64 amount) {
  Route *r = ROUTE;
  const Account *a = ACCOUNTS, *user_in = &a[AT_SOURCE];
  if (r->exact_out) {
    TRY(plan_exact_out(leg, hops, amount));
    amount = r->need[0];
    NEED(r->given + amount >= amount && r->given + amount <= r->limit, E_SLIPPAGE);
  }
  for (u64 h = 0; h < hops; h++) {
    const Account *user_out = leg[h].user_out;
    if (h + 1 == hops) {
      NEED(same(user_out->key, a[AT_DESTINATION].key), E_PLAN);
    } else {
      // What passes through must not be mistaken for what goes in or comes out.
      NEED(!same(user_out->key, a[AT_DESTINATION].key) && !same(user_out->key, a[AT_SOURCE].key), E_DUPLICATE);
      NEED(!same(user_out->key, a[AT_FEE].key), E_DUPLICATE);
      NEED(users(user_out), E_TOKEN_ACCOUNT);
    }
    TRY(run_hop(&leg[h], user_in, r->exact_out ? r->need[h] : amount, r->exact_out ? r->need[h + 1] : 1));
    if (h == 0) r->given += r->user_in_before - amount_of(user_in);
    amount = amount_of(user_out) - r->user_out_before;
    if (h + 1 == hops) r->received += amount;
    user_in = user_out;
  }
  return 0;
}

OUTLINE u64 settle(void) {
  Route *r = ROUTE;
  const Account *a = ACCOUNTS;
  if (r->exact_out) {
    NEED(!muldiv(r->given, r->fee_bps, BPS, 0, &r->fee), E_OVERFLOW);
    NEED(r->given + r->fee >= r->given && r->given + r->fee <= r->limit, E_SLIPPAGE);
    NEED(r->received >= r->amount, E_SLIPPAGE);
  } else {
    NEED(!muldiv(r->received, r->fee_bps, BPS, 0, &r->fee), E_OVERFLOW);
    NEED(r->received - r->fee >= r->limit, E_SLIPPAGE);
  }
  if (r->fee == 0) return 0;
  const Account *from = &a[r->exact_out ? AT_SOURCE : AT_DESTINATION];
  return transfer_by(from->owner, from, &a[AT_FEE], &a[AT_OWNER], r->fee);
}

OUTLINE u64 report(u64 given, u64 received) {
  Route *r = ROUTE;
  const Account *a = ACCOUNTS;
  u8 *e = (u8 *)(OWN_HEAP + 2048);
  put64(e, TAG('T', 'P', 'R', 'O', 'U', 'T', 'E', '1'));
  copy32(e + 8, a[AT_OWNER].key);
  copy32(e + 40, mint_of(&a[AT_SOURCE])), copy32(e + 72, mint_of(&a[AT_DESTINATION]));
  put64(e + 104, given), put64(e + 112, received), put64(e + 120, r->fee);
  put16(e + 128, r->fee_bps), e[130] = r->exact_out, e[131] = r->legs, e[132] = r->flags;
  event(e, 136);
  sol_set_return_data(e + 104, 24);
  return 0;
}

static u64 route(void) {
  Route *r = ROUTE;
  TRY(read_route());
  TRY(check_accounts());
  u64 left = r->amount;
  const u8 *plan = CALL->data + ROUTE_HEAD;
  const Hop *hops = HOPS;
  for (u64 leg = 0; leg < r->legs; leg++, hops += plan[2], plan += leg_bytes(plan)) {
    u64 amount = left;
    // The last leg has what rounding left over.
    if (leg + 1 < r->legs) NEED(!muldiv(r->amount, get16(plan), BPS, 0, &amount), E_OVERFLOW);
    NEED(amount != 0, E_AMOUNT);
    left -= amount;
    TRY(run_leg(hops, plan[2], amount));
  }
  TRY(settle());
  TRY(report(r->exact_out ? r->given + r->fee : r->given, r->exact_out ? r->received : r->received - r->fee));
  const Account *a = ACCOUNTS, *wrapped = &a[r->flags & FLAG_WRAP ? AT_SOURCE : AT_DESTINATION];
  if (r->flags & (FLAG_UNWRAP | FLAG_TEMPORARY)) return close_token(wrapped, &a[AT_OWNER], &a[AT_OWNER]);
  return 0;
}

u64 entrypoint(const u8 *input) {
  NEED(read_call(input), E_ACCOUNTS);
  NEED(CALL->data_len != 0, E_INSTRUCTION);
  u8 tag = CALL->data[0];
  switch (tag) {
    case ROUTE_EXACT_IN: case ROUTE_EXACT_OUT: case VENUES_EXACT_IN: case VENUES_EXACT_OUT:
      return route();
  }
  return administer(tag);
}
