import { TidepoolError } from '#libs/core/errors.js';

/** An argument that must be a whole number from 0 on, as a number or as text. */
export function wholeNumber(value: unknown, option: string): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new TidepoolError('usage', `${option} must be a whole number from 0 on, not ${JSON.stringify(value)}`);
}
