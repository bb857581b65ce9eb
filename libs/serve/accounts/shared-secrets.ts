import { createHash } from 'node:crypto';
import { FencedError } from '#libs/core/errors.js';
import { secretsTopic } from '#libs/protocol/topics.js';
import { firstSecrets, readSecrets, SecretBook, type SecretsLog } from './secret-book.js';

export interface SharedSecretsParts {
  log: SecretsLog;
  /** From the configuration: the first one signs, all are accepted. */
  configured: readonly string[];
  /** What this installation signed with before its secrets were in the log; null: nothing. */
  before: () => Promise<string | null>;
  now: () => number;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  pollMs?: number;
}

const POLL_MS = 5_000;
const RECORDS = 100;
const ATTEMPTS = 20;

/**
 * What every instance behind one address signs with, from the configuration or the log, and follows. A secret that
 * replaces another signs once every instance has heard of it; the one before is accepted for a day.
 */
export class SharedSecrets {
  readonly name = 'secrets';
  private readonly configured: readonly Buffer[];
  private book: SecretBook | null = null;
  private next = 0n;

  constructor(private readonly parts: SharedSecretsParts) {
    this.configured = parts.configured.map((text) => createHash('sha256').update(text, 'utf8').digest());
  }

  /** Reads them, and makes the first ones where there are none. */
  async open(): Promise<void> {
    const { log, before } = this.parts;
    let book = await readSecrets(log);
    if (book.identity === null) {
      const old = await before();
      book = await this.first(old);
    }
    this.book = book;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, pause, pollMs = POLL_MS } = this.parts;
    if (this.book === null) await this.open();
    while (!signal.aborted) {
      for (let records = RECORDS; records === RECORDS; ) {
        const batch = await log.readKeyed(secretsTopic, 0, this.next, RECORDS);
        for (const { key, value, offset } of batch) {
          this.book!.put(key, value);
          this.next = offset + 1n;
        }
        records = batch.length;
      }
      await pause(pollMs, signal);
    }
  }

  /** Another process may take over while it makes them: then they are there, or are about to be. */
  private async first(before: string | null): Promise<SecretBook> {
    const { log, now } = this.parts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await firstSecrets(log, now(), before);
      } catch (error) {
        if (!(error instanceof FencedError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** null until they were read. */
  signing(): Uint8Array | null {
    return this.configured[0] ?? this.inState('signs')[0] ?? null;
  }

  accepted(): Uint8Array[] {
    return [...this.configured, ...this.inState('signs', 'new', 'accepted')];
  }

  /** Tells this installation from others, and never changes; null until it was read. */
  identity(): Uint8Array | null {
    const identity = this.book?.identity ?? null;
    return identity === null ? null : Buffer.from(identity, 'hex');
  }

  private inState(...wanted: string[]): Uint8Array[] {
    const states = this.book?.states(this.parts.now()) ?? [];
    return states.filter(({ state }) => wanted.includes(state)).map(({ record }) => Buffer.from(record.value, 'hex'));
  }
}
