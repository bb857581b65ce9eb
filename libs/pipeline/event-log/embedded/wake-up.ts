import { BroadcastChannel } from 'node:worker_threads';

/**
 * Wakes readers that wait at the end of a topic. A reader notes `version` of the topic before it looks and passes it to
 * `wait`, so an append between the look and the wait is never missed. With a channel name, readers in other threads of the
 * process that listen are woken too; the poll interval bounds the wait for appends of other processes. A thread that only
 * writes hears of nothing: each message would wake it.
 */
export class WakeUp {
  private readonly topics = new Map<string, { version: number; waiting: Set<() => void> }>();
  /** Open once this thread listens: whatever has a channel open gets all messages. */
  private channel: BroadcastChannel | null = null;
  private closed = false;

  constructor(private readonly channelName?: string) {}

  /** From here on appends of other threads count; to be called before the first look. */
  listen(): void {
    if (this.channelName === undefined || this.channel !== null || this.closed) return;
    this.channel = new BroadcastChannel(this.channelName);
    this.channel.onmessage = (message) => this.wakeHere((message as { data: string[] }).data);
    this.channel.unref();
  }

  version(topic: string): number {
    return this.of(topic).version;
  }

  notify(topics: readonly string[]): void {
    this.wakeHere(topics);
    if (this.channelName === undefined || this.closed) return;
    const channel = this.channel ?? new BroadcastChannel(this.channelName);
    channel.postMessage(topics);
    if (channel !== this.channel) channel.close();
  }

  close(): void {
    this.closed = true;
    this.wakeHere([...this.topics.keys()]);
    this.channel?.close();
  }

  /** Resolves on a notify of the topic after `seen`, on the signal's abort, or after `pollMs`. */
  wait(topic: string, seen: number, pollMs: number, signal: AbortSignal): Promise<void> {
    const { version, waiting } = this.of(topic);
    if (version !== seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, pollMs);
      signal.addEventListener('abort', wake, { once: true });
      waiting.add(wake);
    });
  }

  private of(topic: string) {
    let entry = this.topics.get(topic);
    if (entry === undefined) {
      entry = { version: 0, waiting: new Set() };
      this.topics.set(topic, entry);
    }
    return entry;
  }

  private wakeHere(topics: readonly string[]): void {
    for (const topic of topics) {
      const entry = this.of(topic);
      entry.version++;
      for (const wake of [...entry.waiting]) wake();
    }
  }
}
