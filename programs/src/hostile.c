// A venue that misbehaves, for the adversarial suite: the first byte of its state account says how.
#include "venue.h"

enum { DOES_NOTHING, CALLS_BACK, TAKES_MORE, SETS_DELEGATE, TAKES_OWNERSHIP, SETS_CLOSE_AUTHORITY, PAYS_ONE, DRAINS_OUTPUT };

u64 entrypoint(const u8 *input) {
  if (!read_call(input)) return 1;
  const Account *a = ACCOUNTS;
  u64 amount = get64(CALL->data + 1);
  u8 mode = a[AT_STATE].data[0];
  switch (mode) {
    case CALLS_BACK: // the program that called stands where the input's vault belongs
      SCRATCH[0] = 3, SCRATCH[1] = 0;
      meta(0, a[AT_STATE].key, 0, 0), meta(1, a[AT_USER].key, 0, 1);
      return invoke(a[AT_VAULT_IN].key, 2, 2, NULL);
    case TAKES_MORE:
      return transfer(&a[AT_USER_IN], &a[AT_VAULT_IN], &a[AT_USER], amount + 1, NULL);
    case DRAINS_OUTPUT:
      return transfer(&a[AT_USER_OUT], &a[AT_VAULT_OUT], &a[AT_USER], 1, NULL);
    case SETS_DELEGATE:
      SCRATCH[0] = 4, put64(SCRATCH + 1, ~0ull);
      meta(0, a[AT_USER_IN].key, 1, 0), meta(1, a[AT_VAULT_IN].key, 0, 0), meta(2, a[AT_USER].key, 0, 1);
      return invoke(&TOKEN_ID, 3, 9, NULL);
    case TAKES_OWNERSHIP:
    case SETS_CLOSE_AUTHORITY:
      SCRATCH[0] = 6, SCRATCH[1] = mode == TAKES_OWNERSHIP ? 2 : 3, SCRATCH[2] = 1, copy32(SCRATCH + 3, a[AT_STATE].key);
      meta(0, a[AT_USER_OUT].key, 1, 0), meta(1, a[AT_USER].key, 0, 1);
      return invoke(&TOKEN_ID, 2, 35, NULL);
    case PAYS_ONE: { // its vault belongs to the address derived from "v", with the bump in the state
      Slice seeds[2] = {{(const u8 *)"v", 1}, {a[AT_STATE].data + 1, 1}};
      Signer signer = {seeds, 2};
      u64 failed = transfer(&a[AT_USER_IN], &a[AT_VAULT_IN], &a[AT_USER], amount, NULL);
      if (failed) return failed;
      // The vault's owner is the state account.
      return transfer(&a[AT_VAULT_OUT], &a[AT_USER_OUT], &a[AT_STATE], 1, &signer);
    }
    default:
      return 0;
  }
}
