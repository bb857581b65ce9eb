import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TidepoolError } from '#libs/core/errors.js';
import { swapErrors } from '#programs/errors.js';
import { SYSTEM_PROGRAM, UPGRADEABLE_LOADER } from '#programs/instruction.js';
import { ClusterError } from './cluster.js';
import { instructionsOf, type ProgramStep, type Terms } from './transactions.js';

/** What a failed transaction says to people: the error by its name, and the next step where there is one. */
const NEXT: Readonly<Record<string, string>> = {
  Admin: 'the key is not the admin, or not the proposed one; tidepool program show names both',
  Authority: 'the key is not the upgrade authority of this program; tidepool program verify names it',
  Config: 'the program has no config; tidepool program init makes it',
  Exists: 'it is there already; tidepool program show tells',
  NoRow: 'the venue has no row; tidepool program venue add makes one',
  RowsFull: '32 rows are there; tidepool program venue remove makes room',
  Fee: 'the highest fee is at most 1,000 bps',
  Program: 'neither the swap program itself nor the zero address can be a venue',
};

const NATIVE: Readonly<Record<string, string>> = {
  AccountNotFound: 'the payer has no coins',
  InsufficientFundsForFee: 'the payer cannot pay the fee',
  InsufficientFundsForRent: 'too little would be left on an account to keep it on chain',
  BlockhashNotFound: 'the node does not know the blockhash; it may lag behind, try again',
  IncorrectAuthority: 'the key is not the authority of the buffer or the program',
  Immutable: 'the program has no upgrade authority any more and cannot change',
};

export function failure(step: ProgramStep, terms: Terms, err: unknown): TidepoolError {
  return new TidepoolError('transaction_failed', `${step.label}: ${reason(step, terms, err)}`);
}

/** A refusal before sending: the simulation's error when there is one, else the node's words. */
export function refusal(step: ProgramStep, terms: Terms, error: unknown): unknown {
  if (!(error instanceof ClusterError)) return error;
  const err = (error.data as { err?: unknown } | null | undefined)?.err;
  if (err !== undefined && err !== null) return failure(step, terms, err);
  return new TidepoolError('transaction_failed', `${step.label}: ${error.message}`);
}

function reason(step: ProgramStep, terms: Terms, err: unknown): string {
  if (typeof err === 'string') return named(err);
  const [kind, detail] = Object.entries((err ?? {}) as Record<string, unknown>)[0] ?? ['unknown', null];
  if (kind !== 'InstructionError' || !Array.isArray(detail)) return named(kind);
  const [index, inner] = detail as [number, unknown];
  const program = instructionsOf(step, terms)[index]?.program;
  if (typeof inner === 'string') return named(inner);
  const code = (inner as { Custom?: number } | null)?.Custom;
  if (code === undefined || program === undefined) return JSON.stringify(err);
  if (program === SYSTEM_PROGRAM) return code === 1 ? 'the payer has too few coins' : `system program error ${code}`;
  const name = program === UPGRADEABLE_LOADER ? undefined : swapErrors.get(code);
  if (name === undefined) return `${solanaIds.formatAddress(program)} ended with error ${code}`;
  return `swap.${name} (${code})${NEXT[name] === undefined ? '' : `: ${NEXT[name]}`}`;
}

const named = (name: string): string => (NATIVE[name] === undefined ? name : `${name}: ${NATIVE[name]}`);
