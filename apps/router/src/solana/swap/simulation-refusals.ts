import { isJsonRecord } from '#libs/chain/chains/solana/malformed.js';
import { errorName } from '#programs/client.js';
import { notReady, Refusal } from '../../refusal.js';
import { pausedReason } from '../readiness.js';
import type { Simulated } from './chain-reads.js';

/** Errors of a transaction that mean that the wallet has too few lamports. */
const POOR = new Set(['AccountNotFound', 'InsufficientFundsForFee', 'InsufficientFundsForRent']);
/** Both the system program and the token program say so by this code. */
const TOO_LITTLE = 1;
const MOST_TEXT = 200;

/** A failed simulation as a refusal; `swapAt` is the place of the swap among the instructions. */
export function refusalOfSimulation(
  chain: string,
  { error, logs }: Simulated,
  swapAt: number,
  labelOf: (program: string) => string | null = () => null,
): Refusal {
  const kind = typeof error === 'string' ? error : isJsonRecord(error) ? (Object.keys(error)[0] ?? '') : '';
  if (POOR.has(kind)) {
    return new Refusal('insufficient_funds', `the wallet has too few lamports for the transaction (${kind})`);
  }
  const [at, cause] = instructionError(error);
  const code = isJsonRecord(cause) ? Number(cause.Custom) : Number.NaN;
  if (at === swapAt && code === TOO_LITTLE) {
    return new Refusal('insufficient_funds', 'the wallet holds too little for the swap: a transfer failed');
  }
  // The program that failed first: codes of other programs have other meanings.
  const failed = logs.map((line) => /^Program (\S+) failed: /.exec(line)?.[1]).find((found) => found !== undefined);
  const label = failed === undefined ? null : labelOf(failed);
  const name = Number.isNaN(code) || label !== null ? null : errorName(code);
  if (name === 'swap.Paused') return notReady([pausedReason(chain)]);
  if (name === 'swap.Slippage') {
    return new Refusal(
      'quote_moved',
      'the pools moved: at the head the route crosses its threshold; ask for a new quote or raise slippageBps',
    );
  }
  const by = label === null ? '' : `${label} refuses the swap: `;
  const said = name === null ? plain(cause ?? kind) : `${name} (${code})`;
  const last = logs.findLast((line) => line.startsWith('Program log: '));
  const log = last === undefined ? '' : `: ${last.slice('Program log: '.length)}`;
  return new Refusal('simulation_failed', `the simulation at the head failed: ${by}${said}${log}`.slice(0, MOST_TEXT));
}

function instructionError(error: unknown): [number, unknown] {
  const pair = isJsonRecord(error) ? error.InstructionError : null;
  return Array.isArray(pair) ? [Number(pair[0]), pair[1]] : [Number.NaN, null];
}

const plain = (cause: unknown): string => (typeof cause === 'string' ? cause : JSON.stringify(cause));
