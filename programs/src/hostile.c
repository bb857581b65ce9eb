// A venue that misbehaves, for the adversarial suite: its state account says how, and where the list of accounts of the kind
// that it is called as has the user and the vaults.
#include "token22.h"
#include "venue.h"

enum { DOES_NOTHING, CALLS_BACK, TAKES_MORE, SETS_DELEGATE, TAKES_OWNERSHIP, SETS_CLOSE_AUTHORITY, PAYS_ONE, DRAINS_OUTPUT, PAYS_SAID, TAKES_LAMPORTS, ASSIGNS_USER, GROWS_USER, GIVES_LAMPORTS, GROWS_STATE, MAKES_TOKENS };
/** Bytes of a long state: places, bytes of the tag, what PAYS_SAID takes and pays, lamports to take before that and for which place. */
enum { SAID_MODE, SAID_BUMP, SAID_USER, SAID_IN, SAID_OUT, SAID_TAG, SAID_VAULT_IN, SAID_VAULT_OUT, SAID_TAKE = 8, SAID_PAY = 16, SAID_LAMPORTS = 24, SAID_PAYEE = 32, SAID_BYTES = 40 };

/** By the program of the accounts; of Token-2022 with the mint, so that fees on transfers are held back. */
static u64 move(const Account *from, const Account *to, const Account *authority, u64 amount, const Signer *signer) {
  if (same(from->owner, &TOKEN_ID)) return transfer(from, to, authority, amount, signer);
  for (u64 i = 0; i < CALL->count; i++) {
    const Account *mint = &ACCOUNTS[i];
    if (!same(mint->key, mint_of(from))) continue;
    meta(0, from->key, 1, 0), meta(1, mint->key, 0, 0), meta(2, to->key, 1, 0), meta(3, authority->key, 0, 1);
    SCRATCH[0] = 12, put64(SCRATCH + 1, amount), SCRATCH[9] = mint->data[44];
    return invoke(from->owner, 4, 10, signer);
  }
  return 1;
}

/** What the venue was called with: its data, and a byte for each account: 1 writable, 2 signer. */
static void tell(void) {
  u8 *uses = (u8 *)OWN_HEAP;
  for (u64 i = 0; i < CALL->count; i++) uses[i] = ACCOUNTS[i].writable | ACCOUNTS[i].signer << 1;
  event(CALL->data, CALL->data_len);
  event(uses, CALL->count);
}

/**
 * Token accounts, or ones of its own, in the writable places from one on, at the addresses derived from "t", place and salt; those that are there stay.
 * The user pays as many lamports as are said, and what is missing then.
 */
static u64 make_tokens(const Account *user, u8 place, u8 salt, u8 own, u64 lamports) {
  u8 *name = (u8 *)(OWN_HEAP + 2048), *bump = name + 2;
  Pubkey *address = (Pubkey *)(OWN_HEAP + 2056);
  for (u64 at = place; at < CALL->count && ACCOUNTS[at].writable; at++) {
    const Account *made = &ACCOUNTS[at];
    if (made->data_len != 0) continue;
    name[0] = (u8)at, name[1] = salt;
    Slice seeds[3] = {{(const u8 *)"t", 1}, {name, 2}, {bump, 1}};
    if (sol_try_find_program_address(seeds, 2, CALL->program, address, bump) || !same(address, made->key)) return 1;
    Signer signer = {seeds, 3};
    if (lamports != 0) TRY(pay(user, made, lamports));
    TRY(create_derived(user, made, TOKEN_BYTES, own ? CALL->program : &TOKEN_ID, &signer));
  }
  return 0;
}

u64 entrypoint(const u8 *input) {
  static const u8 own_places[SAID_BYTES] = {0, 0, AT_USER, AT_USER_IN, AT_USER_OUT, 1, AT_VAULT_IN, AT_VAULT_OUT};
  if (!read_call(input)) return 1;
  const Account *a = ACCOUNTS, *state = NULL;
  for (u64 i = 0; i < CALL->count && !state; i++)
    if (same(a[i].owner, CALL->program) && a[i].data_len >= 2) state = &a[i];
  if (!state) return 1;
  const u8 *said = state->data_len >= SAID_BYTES ? state->data : own_places;
  const Account *user = &a[said[SAID_USER]], *user_in = &a[said[SAID_IN]], *user_out = &a[said[SAID_OUT]];
  const Account *vault_in = &a[said[SAID_VAULT_IN]], *vault_out = &a[said[SAID_VAULT_OUT]];
  u64 amount = get64(CALL->data + said[SAID_TAG]);
  // Its vaults belong to the address derived from "v", which is the state account.
  Slice seeds[2] = {{(const u8 *)"v", 1}, {state->data + SAID_BUMP, 1}};
  Signer signer = {seeds, 2};
  u8 mode = state->data[SAID_MODE];
  switch (mode) {
    case CALLS_BACK: // the program that called is where the input's vault belongs
      SCRATCH[0] = 3, SCRATCH[1] = 0;
      meta(0, state->key, 0, 0), meta(1, user->key, 0, 1);
      return invoke(vault_in->key, 2, 2, NULL);
    case TAKES_MORE:
      return move(user_in, vault_in, user, amount + 1, NULL);
    case DRAINS_OUTPUT:
      return move(user_out, vault_out, user, 1, NULL);
    case SETS_DELEGATE:
      SCRATCH[0] = 4, put64(SCRATCH + 1, ~0ull);
      meta(0, user_in->key, 1, 0), meta(1, vault_in->key, 0, 0), meta(2, user->key, 0, 1);
      return invoke(user_in->owner, 3, 9, NULL);
    case TAKES_OWNERSHIP:
    case SETS_CLOSE_AUTHORITY:
      SCRATCH[0] = 6, SCRATCH[1] = mode == TAKES_OWNERSHIP ? 2 : 3, SCRATCH[2] = 1, copy32(SCRATCH + 3, state->key);
      meta(0, user_out->key, 1, 0), meta(1, user->key, 0, 1);
      return invoke(user_out->owner, 2, 35, NULL);
    case PAYS_ONE:
      TRY(move(user_in, vault_in, user, amount, NULL));
      return move(vault_out, user_out, state, 1, &signer);
    case ASSIGNS_USER:
      put32(SCRATCH, 1), copy32(SCRATCH + 4, CALL->program);
      meta(0, user->key, 1, 1);
      TRY(invoke(&SYSTEM_ID, 1, 36, NULL));
      goto pays;
    case GROWS_USER:
      put32(SCRATCH, 8), put64(SCRATCH + 4, 8);
      meta(0, user->key, 1, 1);
      TRY(invoke(&SYSTEM_ID, 1, 12, NULL));
      goto pays;
    case GROWS_STATE:
      // By 100 bytes; the length is before the data.
      put64(state->data - 8, state->data_len + 100);
      TRY(pay(user, state, get64(said + SAID_LAMPORTS)));
      goto pays;
    case TAKES_LAMPORTS:
      TRY(pay(user, &a[said[SAID_PAYEE]], get64(said + SAID_LAMPORTS)));
      goto pays;
    case MAKES_TOKENS:
      TRY(make_tokens(user, said[SAID_PAYEE], said[SAID_PAYEE + 1], said[SAID_PAYEE + 2], get64(said + SAID_LAMPORTS)));
      goto pays;
    case GIVES_LAMPORTS:
    case PAYS_SAID:
    pays:
      tell();
      TRY(move(user_in, vault_in, user, get64(state->data + SAID_TAKE), NULL));
      TRY(move(vault_out, user_out, state, get64(state->data + SAID_PAY), &signer));
      // Behind all calls: these count the lamports of their own accounts alone.
      if (mode == GIVES_LAMPORTS)
        *state->lamports -= get64(said + SAID_LAMPORTS), *user->lamports += get64(said + SAID_LAMPORTS);
      return 0;
    default:
      return 0;
  }
}
