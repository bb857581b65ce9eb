import { decodeBase58 } from '#libs/core/base58.js';
import { COMMITMENTS, type Commitment } from './chain-types.js';
import { invalidParams } from './rpc-errors.js';

/** Reads parameters of calls; anything else is -32602 with the rule that was broken. */
export type Params = readonly unknown[];
export type Config = Record<string, unknown>;

export function configAt(params: Params, index: number): Config {
  const value = params[index];
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Config;
  throw invalidParams(`invalid type: ${describe(value)}, expected a configuration object.`);
}

export function textAt(params: Params, index: number, what: string): string {
  const value = params[index];
  if (value === undefined) throw invalidParams('invalid length 0, expected a parameter.');
  if (typeof value !== 'string') throw invalidParams(`invalid type: ${describe(value)}, expected ${what}.`);
  return value;
}

export function addressAt(params: Params, index: number): string {
  return asAddress(textAt(params, index, 'a string'));
}

export function asAddress(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`invalid type: ${describe(value)}, expected a string.`);
  const bytes = decodeBase58(value);
  if (bytes === null) throw invalidParams('Invalid param: Invalid');
  if (bytes.length !== 32) throw invalidParams('Invalid param: WrongSize');
  return value;
}

export function asSignature(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`invalid type: ${describe(value)}, expected a string.`);
  const bytes = decodeBase58(value);
  if (bytes === null) throw invalidParams('Invalid param: Invalid');
  if (bytes.length !== 64) throw invalidParams('Invalid param: WrongSize');
  return value;
}

export function integerAt(params: Params, index: number): number {
  if (params[index] === undefined) throw invalidParams('invalid length 0, expected a parameter.');
  return asInteger(params[index]);
}

export function asInteger(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw invalidParams(`invalid type: ${describe(value)}, expected u64.`);
  }
  return value;
}

export function optionalInteger(value: unknown): number | null {
  return value === undefined || value === null ? null : asInteger(value);
}

export function flag(config: Config, name: string, otherwise = false): boolean {
  const value = config[name] ?? otherwise;
  if (typeof value !== 'boolean') throw invalidParams(`invalid type: ${describe(value)}, expected a boolean.`);
  return value;
}

export function choice<T extends string>(value: unknown, allowed: readonly T[], otherwise: T): T {
  if (value === undefined || value === null) return otherwise;
  if (allowed.includes(value as T)) return value as T;
  const names = allowed.map((name) => `\`${name}\``).join(', ');
  throw invalidParams(`unknown variant \`${String(value).slice(0, 40)}\`, expected one of ${names}.`);
}

export function commitmentOf(config: Config): Commitment {
  return choice(config.commitment, COMMITMENTS, 'finalized');
}

/** For what exists only once a supermajority has voted for it. */
export function settledCommitment(config: Config): 'confirmed' | 'finalized' {
  const commitment = commitmentOf(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

export function listAt(params: Params, index: number, most: number, what: string): unknown[] {
  const value = params[index];
  if (!Array.isArray(value)) throw invalidParams(`invalid type: ${describe(value)}, expected a sequence.`);
  if (value.length > most) throw invalidParams(`Too many inputs provided; max ${most} ${what}`);
  return value;
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  return `${typeof value} \`${String(value).slice(0, 40)}\``;
}
