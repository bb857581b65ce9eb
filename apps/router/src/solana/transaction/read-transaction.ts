import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { type AccountUse, type Instruction, idOf, MAX_UNITS } from '#programs/client.js';
import { shown } from '../../http/parameter-source.js';
import type { TransactionConfig } from '../model/transaction.js';

/** What a transaction is serialized from. */
export interface TransactionRequest {
  readonly payer: Hex;
  readonly instructions: readonly Instruction[];
  readonly config: TransactionConfig;
  /** Null: the newest one. */
  readonly blockhash: Hex | null;
  readonly encoding: 'base64' | 'base58';
}

const COMPUTE_BUDGET = idOf('ComputeBudget111111111111111111111111111111');
const UNITS_EACH = 200_000;
const MAX_LOADED = 64 * 1024 * 1024;
const U64_MAX = (1n << 64n) - 1n;
const [LEAST_HEAP, MOST_HEAP, HEAP_STEP] = [32_768, 262_144, 1_024] as const;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** How libraries write that an account comes out of a look-up table. */
const LOOKUPS = /lookup/i;

/** Reads one transaction; `path` names it in messages. The first broken rule is a 400. */
export function readTransaction(body: JsonObject, path = ''): TransactionRequest {
  refuseLookups(body, path);
  const payer = keyOf(body.payer, `${path}payer`);
  const list = body.instructions;
  if (!Array.isArray(list) || list.length === 0) throw badRequest(`${path}instructions must be a list of instructions`);
  const instructions = list.map((item, n) => instructionOf(item, `${path}instructions[${n}]`));
  const blockhash = body.blockhash ?? null;
  return {
    ...{ payer, instructions },
    config: configOf(body.transactionConfig ?? null, `${path}transactionConfig`, instructions.length),
    blockhash: blockhash === null ? null : keyOf(blockhash, `${path}blockhash`),
    encoding: encodingOf(body.encoding ?? null, path),
  };
}

function instructionOf(item: JsonValue, path: string): Instruction {
  if (!isJsonObject(item)) throw badRequest(`${path} must be an object with programId, accounts and data`);
  refuseLookups(item, `${path}.`);
  const program = keyOf(item.programId, `${path}.programId`);
  if (program === COMPUTE_BUDGET) {
    throw badRequest(
      `${path} must not be of the compute-budget program: limits and fee of a v1 transaction are in transactionConfig`,
    );
  }
  const accounts = item.accounts ?? [];
  if (!Array.isArray(accounts)) throw badRequest(`${path}.accounts must be a list of {pubkey, isSigner, isWritable}`);
  return {
    program,
    accounts: accounts.map((account, n) => accountOf(account, `${path}.accounts[${n}]`)),
    data: dataOf(item.data ?? '', `${path}.data`),
  };
}

function accountOf(account: JsonValue, path: string): AccountUse {
  if (!isJsonObject(account)) throw badRequest(`${path} must be an object with pubkey, isSigner and isWritable`);
  refuseLookups(account, `${path}.`);
  return {
    id: keyOf(account.pubkey, `${path}.pubkey`),
    signer: flagOf(account.isSigner, `${path}.isSigner`),
    writable: flagOf(account.isWritable, `${path}.isWritable`),
  };
}

function flagOf(given: JsonValue | undefined, name: string): boolean {
  if (typeof given !== 'boolean') throw badRequest(`${name} must be true or false`);
  return given;
}

/** Names of look-up tables with anything in them. */
function refuseLookups(object: JsonObject, path: string): void {
  for (const [name, value] of Object.entries(object)) {
    if (!LOOKUPS.test(name) || value === null || value === undefined || (Array.isArray(value) && value.length === 0))
      continue;
    throw badRequest(
      `${path}${name} must be absent or empty: a v1 transaction has no look-up tables, all keys are its own`,
    );
  }
}

function dataOf(given: JsonValue, name: string): Uint8Array {
  if (typeof given !== 'string' || !BASE64.test(given)) throw badRequest(`${name} must be base64`);
  return Buffer.from(given, 'base64');
}

function keyOf(given: JsonValue | undefined, name: string): Hex {
  if (given === undefined || given === null) throw badRequest(`${name} is required: base58 of 32 bytes`);
  const id = typeof given === 'string' ? solanaIds.parseAddress(given) : null;
  if (id === null) throw badRequest(`${name} must be base58 of 32 bytes; ${shown(given)} is not`);
  return id;
}

function encodingOf(given: JsonValue, path: string): 'base64' | 'base58' {
  if (given === null || given === 'base64') return 'base64';
  if (given === 'base58') return 'base58';
  throw badRequest(`${path}encoding must be base64 or base58; ${shown(given)} is neither`);
}

function configOf(given: JsonValue, path: string, instructions: number): TransactionConfig {
  if (given !== null && !isJsonObject(given)) throw badRequest(`${path} must be an object`);
  const wish = given ?? {};
  const whole = (name: string, least: number, most: bigint): bigint | null => {
    const value = wish[name] ?? null;
    if (value === null) return null;
    const number = value instanceof JsonNumber ? value.integer : null;
    if (number === null || number < BigInt(least) || number > most) {
      throw badRequest(`${path}.${name} must be a whole number from ${least} to ${most}; ${shown(value)} is not`);
    }
    return number;
  };
  const units = whole('computeUnitLimit', 1, BigInt(MAX_UNITS));
  const heap = whole('heapSize', LEAST_HEAP, BigInt(MOST_HEAP));
  if (heap !== null && heap % BigInt(HEAP_STEP) !== 0n) {
    throw badRequest(`${path}.heapSize must be a multiple of ${HEAP_STEP}`);
  }
  return {
    computeUnitLimit: Number(units ?? Math.min(MAX_UNITS, UNITS_EACH * instructions)),
    loadedAccountsDataSizeLimit: Number(whole('loadedAccountsDataSizeLimit', 1, BigInt(MAX_LOADED)) ?? MAX_LOADED),
    priorityFeeLamports: whole('priorityFeeLamports', 0, U64_MAX) ?? 0n,
    heapSize: heap === null ? null : Number(heap),
  };
}
