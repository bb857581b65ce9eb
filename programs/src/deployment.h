// Who deployed a program: the upgrade authority that the loader keeps in the program data account.
#pragma once
#include "sol.h"

static const Pubkey LOADER_ID = {{0x02, 0xa8, 0xf6, 0x91, 0x4e, 0x88, 0xa1, 0xb0, 0xe2, 0x10, 0x15, 0x3e, 0xf7, 0x63, 0xae, 0x2b,
                                  0x00, 0xc2, 0xb9, 0x3d, 0x16, 0xc1, 0x24, 0xd2, 0xc0, 0x53, 0x7a, 0x10, 0x04, 0x80, 0x00, 0x00}};

/** 1 when the account is this program's data and names that authority. `seeds` and `found` are room to work in. */
OUTLINE int deployed_by(const Pubkey *authority, const Account *data, Slice *seeds, Pubkey *found) {
  seeds[0] = (Slice){CALL->program->x, 32};
  if (sol_try_find_program_address(seeds, 1, &LOADER_ID, found, SCRATCH) != 0) return 0;
  if (!same(found, data->key) || !same(data->owner, &LOADER_ID) || data->data_len < 45) return 0;
  return data->data[0] == 3 && data->data[12] == 1 && same(data->data + 13, authority);
}
