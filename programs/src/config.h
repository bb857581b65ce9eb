// Config of a deployment of the swap program: who administers it, whether it is paused, where fees go, which venues are live.
// Invariants: there is one config a deployment, at the address derived from "config", made by the upgrade authority; only its
// admin changes it; a venue has at most one row; every change leaves a line of log with the bytes of its instruction.
#pragma once
#include "deployment.h"
#include "venue.h"

enum {
  E_INSTRUCTION = 6000, E_ACCOUNTS, E_CONFIG, E_SIGNER, E_PAUSED, E_NO_ROW, E_ROW_DEAD, E_PROGRAM, E_TOKEN_ACCOUNT, E_MINT,
  E_DUPLICATE, E_PLAN, E_FLAGS, E_AMOUNT, E_OVERFLOW, E_SLIPPAGE, E_FEE, E_FEE_ACCOUNT, E_VENUE, E_TAMPERED, E_OVERSPENT,
  E_SHORT, E_ADDRESS, E_ADMIN, E_AUTHORITY, E_EXISTS, E_ROWS_FULL, E_KIND, E_EXTENSION,
  E_WALLET,
};
enum {
  INIT = 0, ROUTE_EXACT_IN, ROUTE_EXACT_OUT, SET_PAUSED, ADD_ROW, REMOVE_ROW, SET_ROW, PROPOSE_ADMIN, ACCEPT_ADMIN, SET_FEE,
  VENUES_EXACT_IN, VENUES_EXACT_OUT,
};

#define CONFIG_TAG TAG('T', 'P', 'S', 'W', 'A', 'P', 'C', '1')
#define MAX_ROWS 32
#define FEE_CEILING 1000
enum {
  CONFIG_ADMIN = 8, CONFIG_PENDING = 40, CONFIG_FEE_OWNER = 72, CONFIG_MAX_FEE = 104, CONFIG_PAUSED = 106, CONFIG_COUNT = 107,
  CONFIG_ROWS = 112, ROW_KIND = 32, ROW_LIVE = 33, ROW_BYTES = 40, CONFIG_BYTES = CONFIG_ROWS + MAX_ROWS * ROW_BYTES,
};

/** Only this program writes accounts it owns, and it writes the tag into the derived one alone. */
INLINE int is_config(const Account *a) {
  return same(a->owner, CALL->program) && a->data_len == CONFIG_BYTES && get64(a->data) == CONFIG_TAG;
}

/** Row of a venue; NULL when there is none. */
OUTLINE u8 *find_row(u8 *config, const Pubkey *program) {
  u8 *row = config + CONFIG_ROWS;
  for (u64 i = config[CONFIG_COUNT]; i > 0; i--, row += ROW_BYTES)
    if (get64(row) == get64(program->x) && same(row, program)) return row;
  return NULL;
}

INLINE void admin_event(void) {
  static const char name[8] = {'T', 'P', 'A', 'D', 'M', 'I', 'N', '1'};
  Slice fields[2] = {{(const u8 *)name, 8}, {CALL->data, CALL->data_len}};
  sol_log_data(fields, 2);
}

/** 0 upgrade authority 1 config 2 program data 3 system program | fee owner[32] | most fee u16 */
OUTLINE u64 init_config(void) {
  Account *a = ACCOUNTS;
  Slice *seeds = (Slice *)OWN_HEAP;
  Pubkey *address = (Pubkey *)(OWN_HEAP + 64);
  u8 *bump = (u8 *)(OWN_HEAP + 96);
  NEED(CALL->data_len == 35, E_INSTRUCTION);
  NEED(CALL->count >= 4, E_ACCOUNTS);
  NEED(a[0].signer, E_SIGNER);
  NEED(get16(CALL->data + 33) <= FEE_CEILING, E_FEE);
  NEED(deployed_by(a[0].key, &a[2], seeds, address), E_AUTHORITY);
  seeds[0] = (Slice){(const u8 *)"config", 6};
  NEED(sol_try_find_program_address(seeds, 1, CALL->program, address, bump) == 0, E_ADDRESS);
  NEED(same(address, a[1].key), E_ADDRESS);
  NEED(zero(a[1].owner) && a[1].data_len == 0, E_EXISTS);
  seeds[1] = (Slice){bump, 1};
  Signer signer = {seeds, 2};
  TRY(create_derived(&a[0], &a[1], CONFIG_BYTES, CALL->program, &signer));
  u8 *config = a[1].data;
  put64(config, CONFIG_TAG);
  copy32(config + CONFIG_ADMIN, a[0].key), copy32(config + CONFIG_FEE_OWNER, CALL->data + 1);
  put16(config + CONFIG_MAX_FEE, get16(CALL->data + 33));
  admin_event();
  return 0;
}

OUTLINE u64 add_row(u8 *config) {
  const u8 *data = CALL->data;
  NEED(data[1] < KINDS && data[2] <= 1, E_KIND);
  NEED(!find_row(config, (const Pubkey *)(data + 3)), E_EXISTS);
  // This program as a venue, or none at all, can never be meant.
  NEED(!same(data + 3, CALL->program) && !zero(data + 3), E_PROGRAM);
  NEED(config[CONFIG_COUNT] < MAX_ROWS, E_ROWS_FULL);
  u8 *row = config + CONFIG_ROWS + ROW_BYTES * config[CONFIG_COUNT];
  copy32(row, data + 3), row[ROW_KIND] = data[1], row[ROW_LIVE] = data[2];
  config[CONFIG_COUNT]++;
  return 0;
}

/** The last row takes the place of the removed one. */
OUTLINE u64 remove_row(u8 *config) {
  u8 *row = find_row(config, (const Pubkey *)(CALL->data + 1));
  NEED(row, E_NO_ROW);
  config[CONFIG_COUNT]--;
  u8 *last = config + CONFIG_ROWS + ROW_BYTES * config[CONFIG_COUNT];
  for (u64 i = 0; i < ROW_BYTES; i += 8) {
    u64 word = get64(last + i);
    put64(last + i, 0);
    if (row != last) put64(row + i, word);
  }
  return 0;
}

OUTLINE u64 set_row(u8 *config) {
  u8 *row = find_row(config, (const Pubkey *)(CALL->data + 3));
  NEED(row, E_NO_ROW);
  NEED(CALL->data[1] < KINDS && CALL->data[2] <= 1, E_KIND);
  row[ROW_KIND] = CALL->data[1], row[ROW_LIVE] = CALL->data[2];
  return 0;
}

OUTLINE u64 change(u8 tag, u8 *config) {
  const u8 *data = CALL->data;
  u64 len = CALL->data_len;
  const Pubkey *signer = ACCOUNTS[1].key;
  if (tag == ACCEPT_ADMIN) {
    NEED(len == 1, E_INSTRUCTION);
    NEED(!zero(config + CONFIG_PENDING) && same(signer, config + CONFIG_PENDING), E_ADMIN);
    copy32(config + CONFIG_ADMIN, signer), copy32(config + CONFIG_PENDING, &SYSTEM_ID);
    return 0;
  }
  NEED(same(signer, config + CONFIG_ADMIN), E_ADMIN);
  switch (tag) {
    case SET_PAUSED:
      NEED(len == 2 && data[1] <= 1, E_INSTRUCTION);
      config[CONFIG_PAUSED] = data[1];
      return 0;
    case ADD_ROW:
      NEED(len == 35, E_INSTRUCTION);
      return add_row(config);
    case REMOVE_ROW:
      NEED(len == 33, E_INSTRUCTION);
      return remove_row(config);
    case SET_ROW:
      NEED(len == 35, E_INSTRUCTION);
      return set_row(config);
    case PROPOSE_ADMIN:
      NEED(len == 33, E_INSTRUCTION);
      copy32(config + CONFIG_PENDING, data + 1);
      return 0;
    case SET_FEE:
      NEED(len == 35, E_INSTRUCTION);
      NEED(get16(data + 33) <= FEE_CEILING, E_FEE);
      copy32(config + CONFIG_FEE_OWNER, data + 1), put16(config + CONFIG_MAX_FEE, get16(data + 33));
      return 0;
    default:
      return E_INSTRUCTION;
  }
}

/** 0 config 1 admin */
OUTLINE u64 administer(u8 tag) {
  if (tag == INIT) return init_config();
  NEED(CALL->count >= 2, E_ACCOUNTS);
  NEED(is_config(&ACCOUNTS[0]) && ACCOUNTS[0].writable, E_CONFIG);
  NEED(ACCOUNTS[1].signer, E_SIGNER);
  TRY(change(tag, ACCOUNTS[0].data));
  admin_event();
  return 0;
}
