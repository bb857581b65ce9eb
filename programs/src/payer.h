// The user as a payer of rents. Invariant: a venue of a kind that names rents may take lamports of the user for its own accounts
// alone, no more than these rose by and than the rent of the bytes that its kind names; the user's account itself stays an empty
// one of the system program. Of any other kind the user is not writable at all. Where a venue moves coins (coins.h), its pool holds
// them: the rent is then that of the bytes by which it grew, whatever it rose by. Where a venue makes token accounts for its fees, they
// are of a token program: the rent is then that of those which were not there before, whatever was paid into them.
#pragma once
#include "adapter.h"

/** Of the call at hand: lamports before it. */
typedef struct { u64 user, rents[RENT_PLACES], bytes[RENT_PLACES]; } Purse;

OUTLINE u64 is_plain_wallet(const Account *user) {
  return same(user->owner, &SYSTEM_ID) && length_of(user) == 0;
}

OUTLINE u64 open_purse(const Hop *hop, const Account *user, Purse *purse) {
  const Rare *rare = &RARE[hop->kind];
  if (rare->rent_bytes == 0) return 0;
  NEED(is_plain_wallet(user), E_WALLET);
  purse->user = *user->lamports;
  for (u64 i = 0; i < RENT_PLACES; i++) {
    const Account *each = &hop->list[rare->rent_at[i]];
    purse->rents[i] = *each->lamports, purse->bytes[i] = length_of(each);
  }
  return 0;
}

/** By how much an account of the venue rose, if it is one. */
INLINE u64 rise_of(const Hop *hop, const Purse *purse, u64 nth) {
  const Account *each = &hop->list[RARE[hop->kind].rent_at[nth]];
  return same(each->owner, hop->venue->key) && *each->lamports > purse->rents[nth] ? *each->lamports - purse->rents[nth] : 0;
}

/** The rent of the bytes by which a pool grew. */
INLINE u64 growth_of(const Hop *hop, const Purse *purse) {
  const Account *pool = &hop->list[RARE[hop->kind].rent_at[0]];
  u64 bytes = length_of(pool);
  return same(pool->owner, hop->venue->key) && bytes > purse->bytes[0] ? rent(bytes) - rent(purse->bytes[0]) : 0;
}

/** The rent of a token account that was not there before the call. */
OUTLINE u64 made_of(const Hop *hop, const Purse *purse, u64 nth) {
  const Account *each = &hop->list[RARE[hop->kind].rent_at[nth]];
  if (purse->bytes[nth] != 0 || length_of(each) == 0) return 0;
  return same(each->owner, &TOKEN_ID) || same(each->owner, &TOKEN_2022_ID) ? rent(length_of(each)) : 0;
}

/** What the user may have paid for accounts of the venue, up to the rent of the bytes of its kind. */
OUTLINE u64 rents_of(const Hop *hop, const Purse *purse, int in_coins) {
  u64 paid = RARE[hop->kind].makes_tokens
    ? made_of(hop, purse, 0) + made_of(hop, purse, 1)
    : (in_coins ? growth_of(hop, purse) : rise_of(hop, purse, 0)) + rise_of(hop, purse, 1);
  u64 most = rent(RARE[hop->kind].rent_bytes);
  return paid < most ? paid : most;
}

OUTLINE u64 close_purse(const Hop *hop, const Account *user, const Purse *purse) {
  if (RARE[hop->kind].rent_bytes == 0) return 0;
  NEED(is_plain_wallet(user), E_TAMPERED);
  u64 left = *user->lamports;
  return left >= purse->user || purse->user - left <= rents_of(hop, purse, 0) ? 0 : E_OVERSPENT;
}
