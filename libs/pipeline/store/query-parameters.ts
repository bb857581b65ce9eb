import type { QueryValue } from './store.js';
import { StoreError } from './store-error.js';

/**
 * Values of `{name:Type}` placeholders in the text form in which ClickHouse binds them: a string as in a TSV field, the
 * strings of an array quoted. Bound values never become part of a statement's syntax.
 */
export function parameterText(value: QueryValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escapeField(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'object') return `[${value.map(elementText).join(',')}]`;
  return numberText(value);
}

/**
 * Refuses a statement whose placeholders are not all given, since a session may still know a value of an earlier query,
 * and numbers that have already lost digits.
 */
export function requireParameters(sql: string, params: Record<string, QueryValue>): void {
  for (const [, name] of sql.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*):[^{}]+\}/g)) {
    if (!Object.hasOwn(params, name!)) throw new StoreError('store_failed', `query parameter ${name} is not given`);
  }
  for (const value of Object.values(params)) {
    if (typeof value === 'number') numberText(value);
    else if (value !== null && typeof value === 'object') value.forEach(elementText);
  }
}

/** A string literal of ClickHouse SQL. */
export function sqlString(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/;

/** A table or column name that needs no quoting; anything else is a programming error. */
export function sqlIdentifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new StoreError('store_failed', `not an identifier: ${name.slice(0, 80)}`);
  return name;
}

function elementText(value: string | number | bigint): string {
  return typeof value === 'string' ? sqlString(value) : numberText(value);
}

function numberText(value: number | bigint): string {
  if (typeof value === 'bigint') return value.toString();
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new StoreError('store_failed', `query parameter ${value} is not exact: pass a bigint or a string`);
  }
  return String(value);
}

const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeField(text: string): string {
  return text.replace(/[\\\0\b\f\n\r\t]/g, (character) => ESCAPES[character]!);
}
