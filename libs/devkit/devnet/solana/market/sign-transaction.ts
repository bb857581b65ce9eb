import { type AccountUse, bufferOf, type Instruction } from '#programs/client.js';
import { addressBytes } from '../address-bytes.js';
import type { SeededKey } from './seeded-key.js';

/**
 * Signed transactions of both common versions. Keys are in the order that the versions require: signers that are
 * written, signers, written ones, the rest; the one who pays the fee is the first.
 */
export interface Order {
  version: 'legacy' | 0;
  payer: SeededKey;
  /** Keys that sign in addition to the payer. */
  signers?: readonly SeededKey[];
  instructions: readonly Instruction[];
}

export function signTransaction(order: Order, blockhash: string): Uint8Array {
  const { version, payer, signers = [], instructions } = order;
  const uses = mergedUses(payer, instructions);
  const ranked = [...uses.values()].sort((a, b) => rank(a) - rank(b));
  const position = new Map(ranked.map(({ id }, index) => [id, index]));
  const at = (id: string): number => position.get(id) as number;
  const count = (test: (use: AccountUse) => boolean): number => ranked.filter(test).length;
  const required = count(({ signer }) => signer);
  const message = Buffer.concat([
    ...(version === 0 ? [Uint8Array.of(0x80)] : []),
    Uint8Array.of(
      required,
      count(({ signer, writable }) => signer && !writable),
      count(({ signer, writable }) => !signer && !writable),
    ),
    short(ranked.length),
    ...ranked.map(({ id }) => bufferOf(id)),
    addressBytes(blockhash),
    short(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(at(program)),
      short(accounts.length),
      Uint8Array.from(accounts, ({ id }) => at(id)),
      short(data.length),
      data,
    ]),
    ...(version === 0 ? [Uint8Array.of(0)] : []),
  ]);
  const keys = new Map([payer, ...signers].map((key) => [key.id, key]));
  const signatures = ranked.slice(0, required).map(({ id }) => {
    const key = keys.get(id);
    if (!key) throw new RangeError(`nobody signs for ${id}`);
    return key.sign(message);
  });
  return Buffer.concat([short(required), ...signatures, message]);
}

/** Every key once, with the most that any instruction asks of it. */
function mergedUses(payer: SeededKey, instructions: readonly Instruction[]): Map<string, AccountUse> {
  const uses = new Map<string, AccountUse>([[payer.id, { id: payer.id, signer: true, writable: true }]]);
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
  return uses;
}

const rank = ({ signer, writable }: AccountUse): number => (signer ? 0 : 2) + (writable ? 0 : 1);

/** A compact-u16. */
function short(value: number): Uint8Array {
  return value < 128 ? Uint8Array.of(value) : Uint8Array.of((value & 127) | 128, value >> 7);
}
