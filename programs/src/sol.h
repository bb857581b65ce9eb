// Freestanding kit of the programs: types, system calls, the account list, instructions to other programs.
// Invariant: every array is at a fixed place of the 32 KiB heap (the stack of a function is 512 B, there is no .data);
// the runtime hands each invocation a heap of zeros, so nothing survives between two of them.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define NULL ((void *)0)

typedef struct { u8 x[32]; } Pubkey;
typedef struct { const Pubkey *key; u8 writable, signer; } Meta;
typedef struct { const Pubkey *program; const Meta *metas; u64 meta_count; const u8 *data; u64 data_len; } Instruction;
typedef struct {
  Pubkey *key;
  u64 *lamports;
  u64 data_len;
  u8 *data;
  Pubkey *owner;
  u64 rent_epoch;
  u8 signer, writable, executable;
} Account;
typedef struct { const u8 *bytes; u64 len; } Slice;
typedef struct { const Slice *seeds; u64 count; } Signer;

extern u64 sol_log_data(const Slice *fields, u64 count);
extern u64 sol_memcpy_(void *to, const void *from, u64 len);
extern u64 sol_memcmp_(const void *a, const void *b, u64 len, int *result);
extern u64 sol_create_program_address(const Slice *seeds, u64 count, const Pubkey *program, Pubkey *out);
extern u64 sol_try_find_program_address(const Slice *seeds, u64 count, const Pubkey *program, Pubkey *out, u8 *bump);
extern u64 sol_get_rent_sysvar(void *out);
extern u64 sol_set_return_data(const u8 *data, u64 len);
extern u64 sol_invoke_signed_c(const Instruction *, const Account *, int, const Signer *, int);

#define HEAP 0x300000000ull
/** Room for the list of accounts. A program that takes more sets it before it includes this. */
#ifndef MAX_ACCOUNTS
#define MAX_ACCOUNTS 64
#endif
#define ACCOUNTS ((Account *)HEAP)
#define AFTER_ACCOUNTS (HEAP + 64 * MAX_ACCOUNTS)
typedef struct { u64 count; const u8 *data; u64 data_len; const Pubkey *program; } Call;
#define CALL ((Call *)AFTER_ACCOUNTS)
/** Built and consumed by one instruction to another program at a time. */
#define METAS ((Meta *)(AFTER_ACCOUNTS + 512))
#define MAX_METAS 64
#define SCRATCH ((u8 *)(AFTER_ACCOUNTS + 1536))
/** From here on the heap is the program's own. */
#define OWN_HEAP (AFTER_ACCOUNTS + 4096)

#define TAG(a, b, c, d, e, f, g, h)                                                                     \
  ((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | (u64)(f) << 40 |       \
   (u64)(g) << 48 | (u64)(h) << 56)
/** Ends the function with the error of an inner step. */
#define TRY(expression) do { u64 failed_ = (expression); if (failed_) return failed_; } while (0)
#define NEED(condition, code) do { if (!(condition)) return (code); } while (0)
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline, unused))

// The machine permits loads and stores at any address.
INLINE u16 get16(const u8 *p) { return *(const u16 *)p; }
INLINE u64 get64(const u8 *p) { return *(const u64 *)p; }
INLINE void put16(u8 *p, u16 v) { *(u16 *)p = v; }
INLINE void put32(u8 *p, u32 v) { *(u32 *)p = v; }
INLINE void put64(u8 *p, u64 v) { *(u64 *)p = v; }
INLINE int same(const void *a, const void *b) {
  const u64 *x = a, *y = b;
  return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3];
}
INLINE int zero(const void *a) {
  const u64 *x = a;
  return (x[0] | x[1] | x[2] | x[3]) == 0;
}
INLINE void copy32(void *to, const void *from) {
  u64 *x = to;
  const u64 *y = from;
  x[0] = y[0], x[1] = y[1], x[2] = y[2], x[3] = y[3];
}
/** 1 when the bytes of `a` come before those of `b`. */
OUTLINE int before(const Pubkey *a, const Pubkey *b) {
  for (u64 i = 0; i < 32; i++)
    if (a->x[i] != b->x[i]) return a->x[i] < b->x[i];
  return 0;
}

/** Reads what the loader hands over; 0 when there are more accounts than the list holds. */
OUTLINE int read_call(const u8 *in) {
  u64 count = get64(in);
  in += 8;
  if (count > MAX_ACCOUNTS) return 0;
  for (u64 i = 0; i < count; i++) {
    Account *account = &ACCOUNTS[i];
    u8 repeated = in[0];
    if (repeated != 0xff) {
      sol_memcpy_(account, &ACCOUNTS[repeated], sizeof(Account));
      in += 8;
      continue;
    }
    account->signer = in[1], account->writable = in[2], account->executable = in[3];
    account->key = (Pubkey *)(in + 8);
    account->owner = (Pubkey *)(in + 40);
    account->lamports = (u64 *)(in + 72);
    account->data_len = get64(in + 80);
    account->data = (u8 *)(in + 88);
    // The loader leaves room for growth behind the data and aligns what follows to eight bytes.
    in = (const u8 *)(((u64)in + 88 + account->data_len + 10240 + 7) & ~7ull);
    account->rent_epoch = get64(in);
    in += 8;
  }
  CALL->count = count;
  CALL->data_len = get64(in);
  CALL->data = in + 8;
  CALL->program = (const Pubkey *)(in + 8 + CALL->data_len);
  return 1;
}

INLINE void meta(u64 i, const Pubkey *key, u8 writable, u8 signer) {
  METAS[i].key = key, METAS[i].writable = writable, METAS[i].signer = signer;
}

/** Calls another program with METAS and the bytes of SCRATCH. A callee that fails ends the transaction. */
OUTLINE u64 invoke(const Pubkey *program, u64 metas, u64 len, const Signer *signer) {
  Instruction instruction = {program, METAS, metas, SCRATCH, len};
  return sol_invoke_signed_c(&instruction, ACCOUNTS, (int)CALL->count, signer, signer ? 1 : 0);
}

/** Least lamports an account of that size must hold. The sysvar's threshold is a float: 2.0, or 1.0 in newer clusters. */
OUTLINE u64 rent(u64 bytes) {
  u64 values[3];
  sol_get_rent_sysvar(values);
  return (128 + bytes) * values[0] * (values[1] == 0x4000000000000000ull ? 2 : 1);
}

static const Pubkey SYSTEM_ID = {{0}};

OUTLINE u64 pay(const Account *from, const Account *to, u64 lamports) {
  put32(SCRATCH, 2), put64(SCRATCH + 4, lamports);
  meta(0, from->key, 1, 1), meta(1, to->key, 1, 0);
  return invoke(&SYSTEM_ID, 2, 12, NULL);
}

/** Creates an account at a derived address. Lamports that someone sent there before do not stop it. */
OUTLINE u64 create_derived(const Account *payer, const Account *made, u64 bytes, const Pubkey *owner, const Signer *s) {
  u64 needed = rent(bytes), held = *made->lamports;
  if (held == 0) {
    put32(SCRATCH, 0), put64(SCRATCH + 4, needed), put64(SCRATCH + 12, bytes), copy32(SCRATCH + 20, owner);
    meta(0, payer->key, 1, 1), meta(1, made->key, 1, 1);
    return invoke(&SYSTEM_ID, 2, 52, s);
  }
  if (held < needed) TRY(pay(payer, made, needed - held));
  meta(0, made->key, 1, 1);
  put32(SCRATCH, 8), put64(SCRATCH + 4, bytes);
  TRY(invoke(&SYSTEM_ID, 1, 12, s));
  put32(SCRATCH, 1), copy32(SCRATCH + 4, owner);
  return invoke(&SYSTEM_ID, 1, 36, s);
}

/** One line `Program data:` with one field. */
INLINE void event(const u8 *bytes, u64 len) {
  Slice field = {bytes, len};
  sol_log_data(&field, 1);
}
