// SPL Token: reading token accounts and calling the program. Only the original token program: its transfers move exactly
// the amount that is named.
#pragma once
#include "sol.h"

static const Pubkey TOKEN_ID = {{0x06, 0xdd, 0xf6, 0xe1, 0xd7, 0x65, 0xa1, 0x93, 0xd9, 0xcb, 0xe1, 0x46, 0xce, 0xeb, 0x79, 0xac,
                                 0x1c, 0xb4, 0x85, 0xed, 0x5f, 0x5b, 0x37, 0x91, 0x3a, 0x8c, 0xf5, 0x85, 0x7e, 0xff, 0x00, 0xa9}};
static const Pubkey WRAPPED_MINT = {{0x06, 0x9b, 0x88, 0x57, 0xfe, 0xab, 0x81, 0x84, 0xfb, 0x68, 0x7f, 0x63, 0x46, 0x18, 0xc0, 0x35,
                                     0xda, 0xc4, 0x39, 0xdc, 0x1a, 0xeb, 0x3b, 0x55, 0x98, 0xa0, 0xf0, 0x00, 0x00, 0x00, 0x00, 0x01}};
#define TOKEN_BYTES 165
#define MINT_BYTES 82

INLINE int is_token(const Account *a) { return same(a->owner, &TOKEN_ID) && a->data_len == TOKEN_BYTES && a->data[108] == 1; }
INLINE int is_mint(const Account *a) { return same(a->owner, &TOKEN_ID) && a->data_len == MINT_BYTES && a->data[45] == 1; }
INLINE const Pubkey *mint_of(const Account *a) { return (const Pubkey *)a->data; }
INLINE const Pubkey *owner_of(const Account *a) { return (const Pubkey *)(a->data + 32); }
INLINE u64 amount_of(const Account *a) { return get64(a->data + 64); }
INLINE u64 supply_of(const Account *a) { return get64(a->data + 36); }

OUTLINE u64 token_amount_call(u8 tag, u64 amount, const Signer *signer) {
  SCRATCH[0] = tag, put64(SCRATCH + 1, amount);
  return invoke(&TOKEN_ID, 3, 9, signer);
}
OUTLINE u64 transfer(const Account *from, const Account *to, const Account *authority, u64 amount, const Signer *signer) {
  meta(0, from->key, 1, 0), meta(1, to->key, 1, 0), meta(2, authority->key, 0, 1);
  return token_amount_call(3, amount, signer);
}
OUTLINE u64 mint_to(const Account *mint, const Account *to, const Account *authority, u64 amount, const Signer *signer) {
  meta(0, mint->key, 1, 0), meta(1, to->key, 1, 0), meta(2, authority->key, 0, 1);
  return token_amount_call(7, amount, signer);
}
OUTLINE u64 burn(const Account *from, const Account *mint, const Account *authority, u64 amount) {
  meta(0, from->key, 1, 0), meta(1, mint->key, 1, 0), meta(2, authority->key, 0, 1);
  return token_amount_call(8, amount, NULL);
}
OUTLINE u64 init_token(const Account *account, const Account *mint, const Pubkey *owner) {
  SCRATCH[0] = 18, copy32(SCRATCH + 1, owner);
  meta(0, account->key, 1, 0), meta(1, mint->key, 0, 0);
  return invoke(&TOKEN_ID, 2, 33, NULL);
}
/** A mint without an authority to freeze. */
OUTLINE u64 init_mint(const Account *mint, u8 decimals, const Pubkey *authority) {
  SCRATCH[0] = 20, SCRATCH[1] = decimals, copy32(SCRATCH + 2, authority), SCRATCH[34] = 0;
  meta(0, mint->key, 1, 0);
  return invoke(&TOKEN_ID, 1, 35, NULL);
}
/** From now on no more is minted. */
OUTLINE u64 end_minting(const Account *mint, const Account *authority, const Signer *signer) {
  SCRATCH[0] = 6, SCRATCH[1] = 0, SCRATCH[2] = 0;
  meta(0, mint->key, 1, 0), meta(1, authority->key, 0, 1);
  return invoke(&TOKEN_ID, 2, 3, signer);
}
/** Closes an account of wrapped coins: all its lamports go to `to`. */
OUTLINE u64 close_token(const Account *account, const Account *to, const Account *owner) {
  SCRATCH[0] = 9;
  meta(0, account->key, 1, 0), meta(1, to->key, 1, 0), meta(2, owner->key, 0, 1);
  return invoke(&TOKEN_ID, 3, 1, NULL);
}
OUTLINE u64 sync_wrapped(const Account *account) {
  SCRATCH[0] = 17;
  meta(0, account->key, 1, 0);
  return invoke(&TOKEN_ID, 1, 1, NULL);
}
