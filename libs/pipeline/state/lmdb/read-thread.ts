import { Worker } from 'node:worker_threads';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { THREAD_LIMITS } from '#libs/core/thread-limits.js';
import type { StoredSpace } from './state-env.js';

export interface ReadThreadInput {
  dir: string;
  spaces: readonly StoredSpace[];
}

export type ReadRequest = { id: number; space: number; keys: readonly Hex[] } | { id: number; kind: 'close' };

/** Values in the order of their keys: bytes of the value plus one (4; 0: no value), value. */
export type ReadReply = { id: number; values: Uint8Array } | { id: number; error: { code: string; message: string } };

interface Waiting {
  resolve: (values: Uint8Array) => void;
  reject: (error: Error) => void;
}

/** The thread that reads ahead from the trees: the thread that asks waits for no page and makes no lookup. */
export class ReadThread {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private ended: Error | null = null;

  constructor(input: ReadThreadInput, file: URL) {
    this.worker = new Worker(file, { workerData: input, resourceLimits: THREAD_LIMITS });
    this.worker.on('message', (reply: ReadReply) => {
      const { resolve, reject } = this.waiting.get(reply.id)!;
      this.waiting.delete(reply.id);
      if ('error' in reply) reject(new TidepoolError(reply.error.code, reply.error.message));
      else resolve(reply.values);
    });
    this.worker.on('error', (error) => this.end(error as Error));
    this.worker.on('exit', (code) => this.end(new TidepoolError('state_failed', `the read thread ended (${code})`)));
  }

  read(space: number, keys: readonly Hex[]): Promise<Uint8Array> {
    return this.ask({ id: ++this.asked, space, keys });
  }

  /** What was asked before is answered first. */
  async close(): Promise<void> {
    if (this.ended !== null) return;
    const exited = new Promise((resolve) => this.worker.once('exit', resolve));
    await this.ask({ id: ++this.asked, kind: 'close' });
    await exited;
  }

  private ask(request: ReadRequest): Promise<Uint8Array> {
    if (this.ended !== null) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.waiting.set(request.id, { resolve, reject });
      this.worker.postMessage(request);
    });
  }

  private end(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}
