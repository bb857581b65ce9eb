import { badRequest } from '#libs/serve/http/problem.js';
import { type ParameterSource, parameterText } from '../http/parameter-source.js';

/** Rules of parameters that quotes of every chain family have; the first broken one is a 400 that names it. */
/** null when absent. */
export function readSlippage(source: ParameterSource): number | null {
  const rule = 'a whole number from 0 to 10000';
  const slippage = readWholeNumber(source, 'slippageBps', rule);
  if (slippage !== null && slippage > 10_000) throw badRequest(`slippageBps must be ${rule}`);
  return slippage;
}

/**
 * null when absent. It takes digits alone, as text or as a JSON number; a number above what a double can hold reads as
 * infinite.
 */
export function readWholeNumber(source: ParameterSource, name: string, rule: string): number | null {
  const given = source.one(name);
  if (given === undefined) return null;
  const text = parameterText(given);
  if (text === null || !/^\d+$/.test(text)) throw badRequest(`${name} must be ${rule}`);
  return Number(text);
}

export function readFlag(source: ParameterSource, name: string): boolean {
  const given = source.one(name);
  if (given === undefined) return false;
  if (typeof given === 'boolean') return given;
  const text = parameterText(given);
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw badRequest(`${name} must be true or false`);
}
