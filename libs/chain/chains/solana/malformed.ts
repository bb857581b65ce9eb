import { TidepoolError } from '#libs/core/errors.js';

/** The document looks like a Solana transaction but cannot be read as one; `path` is the field at fault. */
export class MalformedTransactionError extends TidepoolError {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super('malformed_transaction', `${path}: ${reason}`);
  }
}

export type Json = Record<string, unknown>;

export const isJsonRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function arrayAt(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new MalformedTransactionError(path, 'not a list');
  return value;
}

export function objectAt(value: unknown, path: string): Json {
  if (!isJsonRecord(value)) throw new MalformedTransactionError(path, 'not an object');
  return value;
}

export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new MalformedTransactionError(path, 'not a text');
  return value;
}

/** A list of strings that may be missing altogether. */
export function textsAt(value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  const list = arrayAt(value, path);
  for (let i = 0; i < list.length; i++) if (typeof list[i] !== 'string') textAt(list[i], `${path}[${i}]`);
  return list as string[];
}
