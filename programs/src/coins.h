// Venues that move coins of the user itself where a route has wrapped ones. Invariant: what a hop may take is unwrapped just
// before it, and whatever the wallet then holds beyond its rents is wrapped just after it: a hop changes the wallet by rents
// alone (payer.h), and the user's account of wrapped coins by what the venue took or gave.
#pragma once
#include "payer.h"

/** Accounts made for the time of a call, at an address derived from a word and the user. */
#define DERIVED_SEEDS ((Slice *)(OWN_HEAP + 1024))
#define DERIVED_ADDRESS ((Pubkey *)(OWN_HEAP + 1152))
#define DERIVED_BUMP ((u8 *)(OWN_HEAP + 1184))
#define DERIVED_SIGNER ((Signer *)(OWN_HEAP + 1192))

/** The runtime tells a new length to one entry of the list; an account is there for its hops too. */
OUTLINE void set_length(const Account *account, u64 length) {
  for (u64 i = 0; i < CALL->count; i++)
    if (ACCOUNTS[i].data == account->data) ACCOUNTS[i].data_len = length;
}

/** The derived account that holds wrapped coins. It is the user's from the start. */
OUTLINE u64 open_wrapped(const char *word, const Account *account, const Account *user, const Account *wrapped_mint) {
  Slice *seeds = DERIVED_SEEDS;
  seeds[0] = (Slice){(const u8 *)word, 4};
  seeds[1] = (Slice){user->key->x, 32};
  NEED(sol_try_find_program_address(seeds, 2, CALL->program, DERIVED_ADDRESS, DERIVED_BUMP) == 0, E_ADDRESS);
  NEED(same(DERIVED_ADDRESS, account->key), E_ADDRESS);
  seeds[2] = (Slice){DERIVED_BUMP, 1};
  *DERIVED_SIGNER = (Signer){seeds, 3};
  TRY(create_derived(user, account, TOKEN_BYTES, &TOKEN_ID, DERIVED_SIGNER));
  set_length(account, TOKEN_BYTES);
  return init_token(account, wrapped_mint, user->key);
}

/** Makes coins of the wallet out of what a buy may take; an account that holds less gives what it has. */
OUTLINE u64 unwrap_for(const Hop *hop, const Account *user, const Account *user_in, u64 amount, const Account *wrapped_mint, Purse *purse) {
  const Account *way = &hop->list[RARE[hop->kind].coins_at];
  NEED(hop->count == RARE[hop->kind].coins_at + 1u, E_ACCOUNTS);
  if (!same(hop->list[ADAPTERS[hop->kind].second].key, user_in->key)) return 0;
  // What anyone sent there before is the wallet's from now on.
  purse->user += *way->lamports;
  TRY(open_wrapped("coin", way, user, wrapped_mint));
  TRY(transfer(user_in, way, user, amount < amount_of(user_in) ? amount : amount_of(user_in), NULL));
  TRY(close_token(way, user, user));
  set_length(way, 0);
  return 0;
}

/** Wraps what a buy left over, or what a sale gave. */
OUTLINE u64 wrap_rest(const Hop *hop, const Account *user, const Purse *purse) {
  const Account *quote = &hop->list[ADAPTERS[hop->kind].second];
  NEED(is_plain_wallet(user), E_TAMPERED);
  u64 held = *user->lamports + rents_of(hop, purse, 1);
  NEED(held >= purse->user, E_OVERSPENT);
  if (held == purse->user) return 0;
  TRY(pay(user, quote, held - purse->user));
  return sync_wrapped(quote);
}
