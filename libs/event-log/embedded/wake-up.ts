import { BroadcastChannel } from 'node:worker_threads';

/**
 * Wakes readers that wait at the end of a topic. A reader notes `version` before it looks and passes it to `wait`, so
 * an append between the look and the wait is never missed. With a channel name, waiting readers in other threads of the
 * process are woken too; the poll interval bounds the wait for appends of other processes.
 */
export class WakeUp {
  private current = 0;
  private readonly waiting = new Set<() => void>();
  private readonly channel: BroadcastChannel | null;

  constructor(channelName?: string) {
    this.channel = channelName === undefined ? null : new BroadcastChannel(channelName);
    if (this.channel === null) return;
    this.channel.onmessage = () => this.wakeHere();
    this.channel.unref();
  }

  get version(): number {
    return this.current;
  }

  notify(): void {
    this.wakeHere();
    this.channel?.postMessage(null);
  }

  close(): void {
    this.wakeHere();
    this.channel?.close();
  }

  /** Resolves on a notify after `seen`, on the signal's abort, or after `pollMs`. */
  wait(seen: number, pollMs: number, signal: AbortSignal): Promise<void> {
    if (this.current !== seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, pollMs);
      signal.addEventListener('abort', wake, { once: true });
      this.waiting.add(wake);
    });
  }

  private wakeHere(): void {
    this.current++;
    for (const wake of [...this.waiting]) wake();
  }
}
