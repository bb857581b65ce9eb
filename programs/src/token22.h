// Accounts of either token program. Invariant: of a mint of Token-2022 only extensions that are named here are known to leave
// tokens where they are; a mint with any other one is refused.
#pragma once
#include "token.h"

static const Pubkey TOKEN_2022_ID = {{0x06, 0xdd, 0xf6, 0xe1, 0xee, 0x75, 0x8f, 0xde, 0x18, 0x42, 0x5d, 0xbc, 0xe4, 0x6c, 0xcd, 0xda,
                                      0xb6, 0x1a, 0xfc, 0x4d, 0x83, 0xb9, 0x0d, 0x27, 0xfe, 0xbd, 0xf9, 0x28, 0xd8, 0xa1, 0x8b, 0xfc}};
/** Longest token account that is taken; those of all extensions together are shorter. */
#define MOST_TOKEN_BYTES 1024
enum { TYPE_AT = 165, TYPE_MINT = 1, TYPE_TOKEN = 2, EXTENSIONS_AT = 166 };
enum { EXT_NONE = 0, EXT_FEE_CONFIG = 1, EXT_FEE_HELD = 2, EXT_HOOK = 14, EXT_HOOK_BYTES = 64 };
/** Fee, close authority, confidential transfers and their fee, interest, pointers, metadata, groups, scaled display. */
#define HARMLESS (1u << 1 | 1u << 3 | 1u << 4 | 1u << 10 | 1u << 16 | 1u << 18 | 1u << 19 | 1u << 20 | 1u << 21 | 1u << 22 | 1u << 23 | 1u << 25)

/** The length as the runtime keeps it: a call may have changed it. */
INLINE u64 length_of(const Account *a) { return get64(a->data - 8); }

OUTLINE int is_any_token(const Account *a) {
  if (is_token(a)) return 1;
  if (!same(a->owner, &TOKEN_2022_ID)) return 0;
  u64 length = length_of(a);
  if (length < TOKEN_BYTES || length > MOST_TOKEN_BYTES || a->data[108] != 1) return 0;
  return length == TOKEN_BYTES || a->data[TYPE_AT] == TYPE_TOKEN;
}

OUTLINE int is_harmless_mint(const Account *a) {
  u64 length = a->data_len;
  if (!same(a->owner, &TOKEN_2022_ID) || length < MINT_BYTES || a->data[45] != 1) return 0;
  if (length == MINT_BYTES) return 1;
  if (length < EXTENSIONS_AT || a->data[TYPE_AT] != TYPE_MINT) return 0;
  for (u64 at = EXTENSIONS_AT; at + 4 <= length;) {
    u64 type = get16(a->data + at), bytes = get16(a->data + at + 2);
    if (type == EXT_NONE) return 1;
    if (at + 4 + bytes > length || type >= 32) return 0;
    if (type == EXT_HOOK) {
      // A hook that names no program and that has no authority.
      const u8 *value = a->data + at + 4;
      if (bytes != EXT_HOOK_BYTES || !zero(value) || !zero(value + 32)) return 0;
    } else if (!(HARMLESS >> type & 1)) {
      return 0;
    }
    at += 4 + bytes;
  }
  return 1;
}

/** Everything of a token account but its amount and the fees that it holds back for the mint. */
OUTLINE int unchanged(const Account *account, u8 *before, u64 length) {
  int head, tail;
  if (!is_any_token(account) || length_of(account) != length) return 0;
  for (u64 at = EXTENSIONS_AT; at + 12 <= length; at += 4 + get16(before + at + 2)) {
    if (get16(before + at) == EXT_NONE) break;
    if (get16(before + at) == EXT_FEE_HELD) put64(before + at + 4, get64(account->data + at + 4));
  }
  sol_memcmp_(account->data, before, 64, &head);
  sol_memcmp_(account->data + 72, before + 72, length - 72, &tail);
  return head == 0 && tail == 0;
}

/** By whichever program the two accounts are of. A mint that holds back fees refuses this, and so the whole route. */
OUTLINE u64 transfer_by(const Pubkey *program, const Account *from, const Account *to, const Account *authority, u64 amount) {
  meta(0, from->key, 1, 0), meta(1, to->key, 1, 0), meta(2, authority->key, 0, 1);
  SCRATCH[0] = 3, put64(SCRATCH + 1, amount);
  return invoke(program, 3, 9, NULL);
}
