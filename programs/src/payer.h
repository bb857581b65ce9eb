// The user as a payer of rents. Invariant: a venue of a kind that names rents may take lamports of the user for its own accounts
// alone, no more than these rose by and than the rent of the bytes that its kind names; the user's account itself stays an empty
// one of the system program. Of any other kind the user is not writable at all.
#pragma once
#include "adapter.h"

/** Of the call at hand: lamports before it. */
typedef struct { u64 user, rents[RENT_PLACES]; } Purse;

OUTLINE u64 is_plain_wallet(const Account *user) {
  return same(user->owner, &SYSTEM_ID) && length_of(user) == 0;
}

OUTLINE u64 open_purse(const Hop *hop, const Account *user, Purse *purse) {
  const Rare *rare = &RARE[hop->kind];
  if (rare->rent_bytes == 0) return 0;
  NEED(is_plain_wallet(user), E_WALLET);
  purse->user = *user->lamports;
  for (u64 i = 0; i < RENT_PLACES; i++) purse->rents[i] = *hop->list[rare->rent_at[i]].lamports;
  return 0;
}

OUTLINE u64 close_purse(const Hop *hop, const Account *user, const Purse *purse) {
  const Rare *rare = &RARE[hop->kind];
  if (rare->rent_bytes == 0) return 0;
  NEED(is_plain_wallet(user), E_TAMPERED);
  u64 left = *user->lamports, rose = 0;
  if (left >= purse->user) return 0;
  for (u64 i = 0; i < RENT_PLACES; i++) {
    const Account *each = &hop->list[rare->rent_at[i]];
    if (same(each->owner, hop->venue->key) && *each->lamports > purse->rents[i]) rose += *each->lamports - purse->rents[i];
  }
  NEED(purse->user - left <= rose && purse->user - left <= rent(rare->rent_bytes), E_OVERSPENT);
  return 0;
}
