import { Worker } from 'node:worker_threads';
import { TidepoolError } from '#libs/core/errors.js';
import { THREAD_LIMITS } from '#libs/core/thread-limits.js';
import type { BlockPosition } from '../space.js';
import type { StoredSpace } from './state-env.js';

export interface CommitThreadInput {
  dir: string;
  spaces: readonly StoredSpace[];
  undoBytes: number;
}

export type CommitRequest =
  | { kind: 'commit'; values: Uint8Array[]; before: Uint8Array[]; position: BlockPosition; rotate: boolean }
  | { kind: 'merge' }
  | { kind: 'rewind'; to: number }
  | { kind: 'load'; records: Uint8Array[]; position: BlockPosition | null }
  | { kind: 'close' };

export interface CommitAnswers {
  commit: { commit: number; oldest: number };
  /** When it has begun. Its end is a message of its own. */
  merge: null;
  rewind: { position: BlockPosition | null; touched: Uint8Array[] };
  load: null;
  close: null;
}

interface ThreadError {
  code: string;
  message: string;
}

export type CommitReply =
  | { result: CommitAnswers[CommitRequest['kind']] }
  | { error: ThreadError }
  /** A merge came to its end, or failed. */
  | { merged: ThreadError | null };

/** The thread that writes a keyed state. One request at a time; its error is the request's. */
export class CommitThread {
  private readonly worker: Worker;
  private waiting: { resolve: (answer: never) => void; reject: (error: Error) => void } | null = null;
  private ended: Error | null = null;

  constructor(input: CommitThreadInput, file: URL, merged: (error: Error | null) => void) {
    this.worker = new Worker(file, { workerData: input, resourceLimits: THREAD_LIMITS });
    this.worker.on('message', (reply: CommitReply) => {
      if ('merged' in reply) {
        merged(reply.merged && new TidepoolError(reply.merged.code, reply.merged.message));
      } else if ('error' in reply) this.settle(new TidepoolError(reply.error.code, reply.error.message));
      else this.settle(null, reply.result);
    });
    this.worker.on('error', (error) => this.end(error as Error));
    this.worker.on('exit', (code) => this.end(new TidepoolError('state_failed', `the commit thread ended (${code})`)));
  }

  async ask<K extends CommitRequest['kind']>(
    request: Extract<CommitRequest, { kind: K }>,
    transfer: ArrayBuffer[] = [],
  ): Promise<CommitAnswers[K]> {
    if (this.ended !== null) throw this.ended;
    if (this.waiting !== null) throw new TidepoolError('state_misuse', 'the commit thread is busy');
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.worker.postMessage(request, transfer);
    });
  }

  async close(): Promise<void> {
    if (this.ended !== null) return;
    const exited = new Promise((resolve) => this.worker.once('exit', resolve));
    await this.ask({ kind: 'close' });
    await exited;
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.settle(this.ended);
  }

  private settle(error: Error | null, answer?: unknown): void {
    const { waiting } = this;
    this.waiting = null;
    if (error !== null) waiting?.reject(error);
    else waiting?.resolve(answer as never);
  }
}
