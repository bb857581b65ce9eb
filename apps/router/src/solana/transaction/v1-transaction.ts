import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import { type AccountUse, bufferOf, type Instruction } from '#programs/client.js';
import type { TransactionConfig, UnsignedTransaction } from '../model/transaction.js';

export const MAX_BYTES = 4_096;
export const MAX_KEYS = 64;
const MAX_INSTRUCTIONS = 64;
const MAX_SIGNERS = 12;
const MAX_INSTRUCTION_ACCOUNTS = 255;
const MAX_DATA = 65_535;
const SIGNATURE_BYTES = 64;
const VERSION = 0x81;
const [FEE_BITS, UNITS_BIT, LOADED_BIT, HEAP_BIT] = [3, 4, 8, 16];

/** A transaction has more of something than fits; the message names the limit and the figure. */
export class TransactionLimitError extends Error {}

/**
 * Writes an unsigned v1 transaction byte by byte. Invariant: validators read these bytes, and the kit writes the same; each
 * key is listed once with the most that any instruction asks of it; all signatures are zeros.
 *
 * 0x81 · signatures, read-only signers, read-only others (u8) · config mask (u32) · blockhash · instructions, keys (u8) ·
 * keys · config values in the order of the mask's bits · of each instruction program, accounts (u8), bytes (u16) · of each
 * its accounts and its data · signatures. Numbers are little-endian.
 */
export function encodeTransaction(
  payer: Hex,
  instructions: readonly Instruction[],
  config: TransactionConfig,
  blockhash: Uint8Array,
): UnsignedTransaction {
  bounded(instructions.length, MAX_INSTRUCTIONS, 'instructions');
  const uses = mergedUses(payer, instructions);
  bounded(uses.length, MAX_KEYS, 'account keys');
  const ranked = inOrder(uses);
  const count = (test: (use: AccountUse) => boolean): number => ranked.filter(test).length;
  const signers = count(({ signer }) => signer);
  bounded(signers, MAX_SIGNERS, 'signatures');
  const position = new Map(ranked.map(({ id }, index) => [id, index]));
  const at = (id: Hex): number => position.get(id)!;
  const heads: Buffer[] = [];
  const bodies: Uint8Array[] = [];
  for (const { program, accounts, data } of instructions) {
    bounded(accounts.length, MAX_INSTRUCTION_ACCOUNTS, 'accounts of one instruction');
    bounded(data.length, MAX_DATA, 'bytes of data of one instruction');
    if (at(program) === 0) throw new TransactionLimitError('the payer must not be the program of an instruction');
    heads.push(numbers([at(program), 1], [accounts.length, 1], [data.length, 2]));
    bodies.push(
      Uint8Array.from(accounts, ({ id }) => at(id)),
      data,
    );
  }
  const { mask, values } = configOf(config);
  const bytes = Buffer.concat([
    numbers([VERSION, 1], [signers, 1]),
    numbers([count(({ signer, writable }) => signer && !writable), 1]),
    numbers([count(({ signer, writable }) => !signer && !writable), 1], [mask, 4]),
    blockhash,
    numbers([instructions.length, 1], [ranked.length, 1]),
    ...ranked.map(({ id }) => bufferOf(id)),
    ...[...values, ...heads, ...bodies],
    Buffer.alloc(signers * SIGNATURE_BYTES),
  ]);
  bounded(bytes.length, MAX_BYTES, 'bytes');
  return { bytes, keys: ranked.map(({ id }) => id), signers };
}

function configOf(config: TransactionConfig): { mask: number; values: Buffer[] } {
  const { priorityFeeLamports, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = config;
  let mask = UNITS_BIT! | LOADED_BIT!;
  const values: Buffer[] = [];
  if (priorityFeeLamports > 0n) {
    mask |= FEE_BITS!;
    const fee = Buffer.alloc(8);
    fee.writeBigUInt64LE(priorityFeeLamports);
    values.push(fee);
  }
  values.push(numbers([computeUnitLimit, 4], [loadedAccountsDataSizeLimit, 4]));
  if (heapSize !== null) {
    mask |= HEAP_BIT!;
    values.push(numbers([heapSize, 4]));
  }
  return { mask, values };
}

/** Every key once, the payer first. */
function mergedUses(payer: Hex, instructions: readonly Instruction[]): AccountUse[] {
  const uses = new Map<Hex, AccountUse>([[payer, { id: payer, signer: true, writable: true }]]);
  const add = (use: AccountUse): void => {
    const known = uses.get(use.id);
    uses.set(use.id, {
      id: use.id,
      signer: use.signer || known?.signer === true,
      writable: use.writable || known?.writable === true,
    });
  };
  for (const { program, accounts } of instructions) {
    for (const use of accounts) add(use);
    add({ id: program, signer: false, writable: false });
  }
  return [...uses.values()];
}

/** The payer first; then signers before others, written accounts before read ones, and keys of one kind by their texts. */
function inOrder([payer, ...others]: readonly AccountUse[]): AccountUse[] {
  const named = others.map((use) => ({ use, text: solanaIds.formatAddress(use.id) }));
  named.sort((a, b) => rank(a.use) - rank(b.use) || byText(a.text, b.text));
  return [payer!, ...named.map(({ use }) => use)];
}

/** As the kit compares addresses. */
const byText = new Intl.Collator('en', { caseFirst: 'lower' }).compare;

const rank = ({ signer, writable }: AccountUse): number => (signer ? 0 : 2) + (writable ? 0 : 1);

function bounded(figure: number, most: number, what: string): void {
  if (figure > most)
    throw new TransactionLimitError(`a v1 transaction has at most ${most} ${what}; this one has ${figure}`);
}

/** Values with their numbers of bytes. */
function numbers(...values: readonly (readonly [value: number, bytes: number])[]): Buffer {
  const buffer = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}
