import type { Session } from 'chdb';
import { StoreError } from './store-error.js';

/**
 * chDB sessions of one data directory. A session runs one statement at a time and statements of different sessions run
 * side by side. A session is handed out again only after the engine has finished with it, also when its caller gave up.
 */
export class SessionPool {
  private readonly idle: Session[] = [];
  private readonly waiting: ((session: Session) => void)[] = [];
  private readonly running = new Set<Promise<unknown>>();
  private closed = false;

  constructor(open: () => Session, size: number) {
    try {
      for (let i = 0; i < size; i++) this.idle.push(open());
    } catch (error) {
      for (const session of this.idle) session.close();
      throw error;
    }
  }

  async run<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.closed) throw new StoreError('store_closed', 'the store is closed');
    if (signal?.aborted) throw new StoreError('store_aborted', 'the query was aborted');
    const task = this.take().then(async (session) => {
      try {
        if (signal?.aborted) throw new StoreError('store_aborted', 'the query was aborted');
        return await work(session);
      } finally {
        this.give(session);
      }
    });
    this.track(task);
    return signal ? untilAborted(task, signal) : task;
  }

  /** Waits for what runs, then releases the sessions. */
  async close(): Promise<void> {
    this.closed = true;
    while (this.running.size > 0) await Promise.allSettled([...this.running]);
    for (const session of this.idle.splice(0)) session.close();
  }

  private take(): Promise<Session> {
    const session = this.idle.pop();
    return session ? Promise.resolve(session) : new Promise((resolve) => this.waiting.push(resolve));
  }

  private give(session: Session): void {
    const next = this.waiting.shift();
    if (next) next(session);
    else this.idle.push(session);
  }

  private track(task: Promise<unknown>): void {
    const settled = task.then(
      () => undefined,
      () => undefined,
    );
    this.running.add(settled);
    void settled.then(() => this.running.delete(settled));
  }
}

/** The engine cannot be interrupted: the statement runs on to its own time limit, only its caller stops waiting. */
function untilAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new StoreError('store_aborted', 'the query was aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
