import { UndecodableError } from '#libs/core/errors.js';
import { type Hex, isHex } from '#libs/core/ids.js';

/** Reads fields of a stored receipt. Strict: whatever this program would not have written is an UndecodableError. */
export type Fields = Record<string, unknown>;

const MAX_UINT256 = 2n ** 256n - 1n;

export const undecodable = (reason: string) => new UndecodableError('quote receipt', reason);

export function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw undecodable(`${name} is no object`);
  return value as Fields;
}

export function textIn(from: Fields, name: string): string {
  const value = from[name];
  if (typeof value !== 'string' || value === '' || value.length > 500) throw undecodable(name);
  return value;
}

export function oneOfIn<T extends string>(from: Fields, name: string, values: readonly T[]): T {
  const found = values.find((value) => value === from[name]);
  if (found === undefined) throw undecodable(name);
  return found;
}

export function hexIn(from: Fields, name: string, bytes: number): Hex {
  const value = from[name];
  if (typeof value !== 'string' || !isHex(value, bytes)) throw undecodable(name);
  return value;
}

export function amountIn(from: Fields, name: string): bigint {
  const value = from[name];
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) throw undecodable(name);
  const amount = BigInt(value);
  if (amount > MAX_UINT256) throw undecodable(name);
  return amount;
}

export function wholeIn(from: Fields, name: string, least = 0): number {
  const value = from[name];
  if (!Number.isSafeInteger(value) || (value as number) < least) throw undecodable(name);
  return value as number;
}

/** At least one. */
export function listIn(from: Fields, name: string): unknown[] {
  const value = from[name];
  if (!Array.isArray(value) || value.length === 0) throw undecodable(name);
  return value;
}
