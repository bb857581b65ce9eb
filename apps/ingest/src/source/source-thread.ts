import { Worker } from 'node:worker_threads';
import type { LogAddress } from '#libs/app/backends/open-log.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import { THREAD_LIMITS } from '#libs/core/thread-limits.js';
import type { EvmSourceOverrides } from './evm/options.js';
import type { SolanaSourceOverrides } from './solana/options.js';
import type { SourceLogger, SourceStage, SourceStatus } from './source-status.js';
import { SourceStatusBoard } from './status-board.js';

/** The input of a source thread: values only, nothing that cannot be cloned. */
export interface SourceThreadInput {
  log: LogAddress;
  chain: ChainValues;
  rpcUrls: readonly string[];
  startHeight?: number;
  dataDir: string;
  foldVersion: number;
  options?: EvmSourceOverrides;
  solanaOptions?: SolanaSourceOverrides;
  /** The term of the chain's lease under which it runs; null where no other process can hold it. */
  term: string | null;
  /** Follows the log without writing. */
  standsBy: boolean;
}

/** A chain without its functions: the thread takes those of the family, and a source routes nothing. */
export type ChainValues = Omit<ChainSpec, 'ids'>;

export function chainValues({ ids: _, venues, ...values }: ChainSpec): ChainValues {
  return { ...values, venues: venues.map((venue) => ({ ...venue, contracts: null })) };
}

export type SourceThreadMessage =
  | { kind: 'status'; status: SourceStatus }
  | { kind: 'log'; level: 'info' | 'warn'; fields: object; message: string }
  | { kind: 'end'; error: { code: string; message: string } | null };

export interface SourceThreadDeps extends Omit<SourceThreadInput, 'chain' | 'term' | 'standsBy'> {
  chain: ChainSpec;
  term?: () => string | null;
  logger?: SourceLogger;
  endsWithinMs?: number;
}

/**
 * A thread that should end and has not after so long waits for a broker that it does not reach. It is ended as by kill -9, so
 * that the next tenure of the chain's lease is not kept waiting. The embedded log has no such waits.
 */
const ENDS_WITHIN_MS = 15_000;

/**
 * The source stage in a thread of its own: fetching, parsing, checking and decoding stay off the main thread, and only
 * the log is between. It behaves like the stage itself: it ends with the signal and rejects with the same codes.
 */
export function createSourceThread(deps: SourceThreadDeps): SourceStage {
  const { logger, chain, term = () => null, endsWithinMs = ENDS_WITHIN_MS, ...rest } = deps;
  let status = new SourceStatusBoard(chain.slug).status();
  const thread = (how: Pick<SourceThreadInput, 'term' | 'standsBy'>, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./source-thread-main.js', import.meta.url), {
        workerData: { ...rest, ...how, chain: chainValues(chain) } satisfies SourceThreadInput,
        resourceLimits: THREAD_LIMITS,
      });
      let late: NodeJS.Timeout | undefined;
      const stop = (): void => {
        worker.postMessage('stop');
        if (rest.log.kind === 'kafka') late = setTimeout(() => void worker.terminate(), endsWithinMs);
      };
      let error: Error | null = null;
      worker.on('message', (message: SourceThreadMessage) => {
        if (message.kind === 'status') status = message.status;
        else if (message.kind === 'log') logger?.[message.level](message.fields, message.message);
        else if (message.error !== null) error = new TidepoolError(message.error.code, message.error.message);
      });
      worker.once('error', (failure) => {
        error = failure as Error;
      });
      worker.once('exit', (code) => {
        clearTimeout(late);
        signal.removeEventListener('abort', stop);
        if (error !== null) reject(error);
        else if (code !== 0) reject(new TidepoolError('source_thread', `the source thread ended with code ${code}`));
        else resolve();
      });
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
    });
  return {
    status: () => status,
    run: (signal) => thread({ term: term(), standsBy: false }, signal),
    standBy: (signal) => thread({ term: null, standsBy: true }, signal),
  };
}
