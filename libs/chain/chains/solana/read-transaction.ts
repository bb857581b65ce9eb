import { decodeBase58 } from '#libs/core/base58.js';
import { SolanaInstruction } from './instruction.js';
import { arrayAt, isJsonRecord, type Json, MalformedTransactionError, objectAt, textAt, textsAt } from './malformed.js';
import { readAmount, unparse } from './parsed-instruction.js';
import { SolanaTransaction, type TokenBalance } from './transaction.js';
import { readWire } from './wire.js';

/** What every encoding of the message comes down to. */
interface Message {
  signatures: string[];
  keys: string[];
  signerCount: number;
  instructions: InstructionMaker[];
}

/** An instruction waits for the full list of keys: it may name loaded ones. */
type InstructionMaker = (keys: KeyTable, outer: number) => SolanaInstruction;

/** A getTransaction answer, or an entry of getBlock's transactions, by its shape. */
export const isSolanaTransaction = (value: Json): boolean =>
  isJsonRecord(value.meta) && (isJsonRecord(value.transaction) || Array.isArray(value.transaction));

/**
 * Reads a `getTransaction` answer or an entry of getBlock's transactions in any encoding: `json`, `jsonParsed`, `base64`
 * or `base58`, legacy, version 0 or 1. Throws MalformedTransactionError and nothing else. An account that an instruction
 * names but the transaction does not hold is no error: that instruction has no program or no such account.
 */
export function readSolanaTransaction(answer: Json, path = 'transaction'): SolanaTransaction {
  const meta = objectAt(answer.meta, `${path}.meta`);
  const message = readMessage(answer.transaction, `${path}.transaction`);
  const table = new KeyTable(allKeys(message.keys, meta, `${path}.meta.loadedAddresses`));
  return new SolanaTransaction(
    message.signatures[0] ?? '',
    typeof answer.slot === 'number' ? answer.slot : null,
    meta.err !== null && meta.err !== undefined,
    table.keys,
    Math.min(message.signerCount, table.keys.length),
    flatten(message.instructions, meta.innerInstructions, table, `${path}.meta.innerInstructions`),
    BigInt(wholeNumber(meta.fee)),
    lamports(meta.preBalances, `${path}.meta.preBalances`),
    lamports(meta.postBalances, `${path}.meta.postBalances`),
    tokenBalances(meta.preTokenBalances, `${path}.meta.preTokenBalances`),
    tokenBalances(meta.postTokenBalances, `${path}.meta.postTokenBalances`),
    textsAt(meta.logMessages, `${path}.meta.logMessages`),
  );
}

function readMessage(value: unknown, path: string): Message {
  if (Array.isArray(value)) return fromWire(value, path);
  const transaction = objectAt(value, path);
  const signatures = textsAt(transaction.signatures, `${path}.signatures`);
  const message = objectAt(transaction.message, `${path}.message`);
  const at = `${path}.message`;
  const listed = arrayAt(message.accountKeys, `${at}.accountKeys`);
  const keys: string[] = [];
  let described = 0;
  for (let i = 0; i < listed.length; i++) {
    const entry = listed[i];
    if (isJsonRecord(entry)) {
      keys.push(textAt(entry.pubkey, `${at}.accountKeys[${i}].pubkey`));
      if (entry.signer === true) described++;
    } else keys.push(textAt(entry, `${at}.accountKeys[${i}]`));
  }
  const header = isJsonRecord(message.header) ? message.header.numRequiredSignatures : undefined;
  return {
    signatures,
    keys,
    signerCount: header === undefined ? described || signatures.length : wholeNumber(header),
    instructions: arrayAt(message.instructions, `${at}.instructions`).map((instruction, index) =>
      instructionMaker(instruction, `${at}.instructions[${index}]`),
    ),
  };
}

/** `[text, encoding]`, as the base64 and base58 encodings write a transaction. */
function fromWire(value: unknown[], path: string): Message {
  const text = textAt(value[0], `${path}[0]`);
  const encoding = value[1];
  if (encoding !== 'base64' && encoding !== 'base58') {
    throw new MalformedTransactionError(`${path}[1]`, 'neither base64 nor base58');
  }
  const bytes = encoding === 'base58' ? decodeBase58(text) : Buffer.from(text, 'base64');
  if (bytes === null) throw new MalformedTransactionError(`${path}[0]`, 'not base58');
  const { signatures, keys, signerCount, instructions } = readWire(bytes, `${path}[0]`);
  return {
    signatures,
    keys,
    signerCount,
    instructions: instructions.map(
      ({ program, accounts, data }) =>
        (table, outer) =>
          new SolanaInstruction(table.keys[program] ?? '', accounts, data, outer, -1, 1),
    ),
  };
}

/** Positions of keys by their text, made when an encoding names accounts by text. */
class KeyTable {
  private positions: Map<string, number> | null = null;

  constructor(readonly keys: readonly string[]) {}

  position(key: string): number {
    this.positions ??= new Map(this.keys.map((text, index) => [text, index]));
    return this.positions.get(key) ?? -1;
  }
}

/** Loaded addresses follow the static ones; `jsonParsed` lists them among the static ones already. */
function allKeys(keys: string[], meta: Json, path: string): string[] {
  if (!isJsonRecord(meta.loadedAddresses)) return keys;
  const writable = textsAt(meta.loadedAddresses.writable, `${path}.writable`);
  const readonly = textsAt(meta.loadedAddresses.readonly, `${path}.readonly`);
  if (writable.length + readonly.length === 0) return keys;
  const last = readonly.length > 0 ? readonly : writable;
  if (keys.at(-1) === last.at(-1)) return keys;
  return keys.concat(writable, readonly);
}

function flatten(makers: InstructionMaker[], inner: unknown, table: KeyTable, path: string): SolanaInstruction[] {
  const calls = new Array<unknown[] | undefined>(makers.length);
  if (inner !== undefined && inner !== null) {
    arrayAt(inner, path).forEach((group, index) => {
      const { index: outer, instructions } = objectAt(group, `${path}[${index}]`);
      const list = arrayAt(instructions, `${path}[${index}].instructions`);
      if (typeof outer !== 'number' || !(outer in makers)) {
        throw new MalformedTransactionError(`${path}[${index}].index`, 'not the position of an instruction');
      }
      calls[outer] = calls[outer]?.concat(list) ?? list;
    });
  }
  const flat: SolanaInstruction[] = [];
  for (let outer = 0; outer < makers.length; outer++) {
    flat.push(makers[outer]!(table, outer));
    const list = calls[outer];
    if (list === undefined) continue;
    for (let i = 0; i < list.length; i++) flat.push(readCall(list[i], table, outer, i, path));
  }
  return flat;
}

function instructionMaker(value: unknown, path: string): InstructionMaker {
  if (!isJsonRecord(value)) throw new MalformedTransactionError(path, 'not an object');
  return (table, outer) => makeInstruction(value, table, outer, -1, 1, path);
}

function readCall(value: unknown, table: KeyTable, outer: number, inner: number, path: string): SolanaInstruction {
  if (!isJsonRecord(value)) throw new MalformedTransactionError(path, 'holds a call that is not an object');
  const depth = typeof value.stackHeight === 'number' ? value.stackHeight : 0;
  return makeInstruction(value, table, outer, inner, depth, path);
}

function makeInstruction(
  value: Json,
  table: KeyTable,
  outer: number,
  inner: number,
  depth: number,
  path: string,
): SolanaInstruction {
  if (typeof value.programId === 'string')
    return namedInstruction(value, value.programId, table, outer, inner, depth, path);
  const { programIdIndex, accounts, data } = value;
  if (typeof programIdIndex !== 'number' || !Array.isArray(accounts) || typeof data !== 'string') {
    throw new MalformedTransactionError(path, 'an instruction without programIdIndex, accounts or data');
  }
  return new SolanaInstruction(table.keys[programIdIndex] ?? '', accounts, data, outer, inner, depth);
}

/** An instruction of the `jsonParsed` encoding: accounts by name, or a description instead of them. */
function namedInstruction(
  value: Json,
  program: string,
  table: KeyTable,
  outer: number,
  inner: number,
  depth: number,
  path: string,
): SolanaInstruction {
  const { data, accounts } =
    value.parsed === undefined
      ? { data: textAt(value.data, `${path}: data`), accounts: textsAt(value.accounts, `${path}: accounts`) }
      : unparse(program, value.parsed);
  const positions = accounts.map((key) => table.position(key));
  return new SolanaInstruction(program, positions, data, outer, inner, depth);
}

const wholeNumber = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;

function lamports(value: unknown, path: string): number[] {
  return value === undefined || value === null ? [] : (arrayAt(value, path) as number[]);
}

function tokenBalances(value: unknown, path: string): TokenBalance[] {
  if (value === undefined || value === null) return [];
  return arrayAt(value, path).map((entry, index) => {
    const { accountIndex, mint, owner, uiTokenAmount } = objectAt(entry, `${path}[${index}]`);
    const amount = isJsonRecord(uiTokenAmount) ? readAmount(uiTokenAmount.amount) : null;
    if (typeof accountIndex !== 'number' || typeof mint !== 'string' || amount === null) {
      throw new MalformedTransactionError(`${path}[${index}]`, 'not a token balance');
    }
    const decimals = (uiTokenAmount as Json).decimals;
    return {
      account: accountIndex,
      mint,
      owner: typeof owner === 'string' ? owner : '',
      amount,
      decimals: typeof decimals === 'number' ? decimals : undefined,
    };
  });
}
