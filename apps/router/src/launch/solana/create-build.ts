import { isJsonRecord } from '#libs/chain/chains/solana/malformed.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { badRequest, type HttpProblem } from '#libs/serve/http/problem.js';
import { errorName, type Instruction, MAX_UNITS } from '#programs/client.js';
import { type RecentBlockhash } from '../../solana/model/recent-blockhash.js';
import { type TransactionConfig } from '../../solana/model/transaction.js';
import { type Simulated, simulate } from '../../solana/swap/chain-reads.js';
import { loadedLimit, MAX_LOADED, unitLimit } from '../../solana/swap/fees.js';
import { encodeTransaction, TransactionLimitError } from '../../solana/transaction/v1-transaction.js';
import { createSimulationFailed, insufficientFunds, notWired } from '../launch-problem.js';

const SIGNATURE_LAMPORTS = 5_000n;
/** Where the node does not say what was loaded. */
const LOADED_UNKNOWN = 16 * 1024 * 1024;
const WIDEST = { computeUnitLimit: MAX_UNITS, loadedAccountsDataSizeLimit: MAX_LOADED, priorityFeeLamports: 0n };
/** How long a blockhash is good: 150 blocks, at a little less than their usual pace. */
export const BLOCKHASH_MS = 50_000;
const MOST_TEXT = 200;

export interface TriedCreate {
  /** Base64 of the unsigned v1 transaction, with the limits that its simulation gives. */
  readonly transaction: string;
  /** Whose signatures it takes, in their order. */
  readonly signers: readonly Hex[];
  readonly networkFee: bigint;
  readonly run: Simulated;
}

/** Simulates the instructions as one transaction at the head, and lays it out with limits of its own. */
export async function tryCreate(
  endpoint: SolanaEndpoint,
  payer: Hex,
  instructions: readonly Instruction[],
  { bytes: blockhash }: RecentBlockhash,
  signal: AbortSignal,
  watched: readonly Hex[] = [],
): Promise<TriedCreate> {
  const encoded = (config: Omit<TransactionConfig, 'heapSize'>) => {
    try {
      return encodeTransaction(payer, instructions, { ...config, heapSize: null }, blockhash);
    } catch (error) {
      throw error instanceof TransactionLimitError ? badRequest(`the create does not fit: ${error.message}`) : error;
    }
  };
  const run = await simulate(endpoint, encoded(WIDEST).bytes, signal, watched);
  if (run.error !== null) throw refusalOf(run);
  const { bytes, keys, signers } = encoded({
    computeUnitLimit: unitLimit(run.units),
    loadedAccountsDataSizeLimit: loadedLimit(run.loadedBytes ?? LOADED_UNKNOWN),
    priorityFeeLamports: 0n,
  });
  return {
    ...{ transaction: bytes.toString('base64'), signers: keys.slice(0, signers) },
    ...{ networkFee: SIGNATURE_LAMPORTS * BigInt(signers), run },
  };
}

/** Errors of a transaction that mean that the creator has too few lamports. */
const POOR = new Set(['AccountNotFound', 'InsufficientFundsForFee', 'InsufficientFundsForRent']);
const NO_PROGRAM = new Set(['ProgramAccountNotFound', 'InvalidProgramForExecution', 'UnsupportedProgramId']);
/** Both the system program and the token program say by this code that an account holds too little. */
const TOO_LITTLE = 1;

function refusalOf({ error, logs }: Simulated): HttpProblem {
  const kind = typeof error === 'string' ? error : isJsonRecord(error) ? (Object.keys(error)[0] ?? '') : '';
  if (POOR.has(kind)) return insufficientFunds(`the creator has too few lamports for the transaction (${kind})`);
  const pair = isJsonRecord(error) ? error.InstructionError : null;
  const cause: unknown = Array.isArray(pair) ? pair[1] : null;
  const code = isJsonRecord(cause) ? Number(cause.Custom) : Number.NaN;
  if (code === TOO_LITTLE) return insufficientFunds('the creator holds too little: a transfer failed');
  if (NO_PROGRAM.has(kind) || NO_PROGRAM.has(String(cause))) {
    return notWired('the launchpad does not stand on the chain of this node');
  }
  const name = Number.isNaN(code) ? null : errorName(code);
  const said = name ?? (cause === null ? kind : typeof cause === 'string' ? cause : `error ${code}`);
  const log = logs.findLast((line) => line.startsWith('Program log: '))?.slice('Program log: '.length) ?? '';
  const text = `${said}${log === '' ? '' : `: ${log}`}`.replace(/[^\x20-\x7e]/g, '?');
  return createSimulationFailed(text.slice(0, MOST_TEXT));
}
