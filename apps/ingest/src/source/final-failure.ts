import { FencedError, LogBrokenError, TidepoolError, UndecodableError } from '#libs/core/errors.js';

/** Failures that no retry cures: another writer took over, the log contradicts itself, or the configuration is wrong. */
export function isFinal(error: unknown): boolean {
  if (error instanceof FencedError || error instanceof LogBrokenError || error instanceof UndecodableError) return true;
  return error instanceof TidepoolError && ['wrong_chain', 'no_rpc', 'unknown_venue'].includes(error.code);
}
