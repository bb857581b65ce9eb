import { randomBytes } from 'node:crypto';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodeSecret, encodeSecret, INSTALLATION, type SecretRecord } from '#libs/protocol/accounts/secret-record.js';
import { secretsTopic } from '#libs/protocol/topics.js';

export type SecretsLog = Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>;

const WRITER = 'secrets';
const RECORDS = 100;
/** How long a new secret is known before anything is signed with it: by then every instance has heard of it. */
export const SETTLING_MS = 30_000;
/** How long what was signed with the secret before is accepted on. */
export const KEPT_MS = 86_400_000;

export type SecretState = 'signs' | 'new' | 'accepted' | 'ended';

/** The secrets of an installation, the oldest first, and which of them hold at a time. */
export class SecretBook {
  private readonly records = new Map<string, SecretRecord>();

  put(key: string, value: Uint8Array | null): void {
    if (value === null) this.records.delete(key);
    else this.records.set(key, decodeSecret(value));
  }

  get identity(): string | null {
    return this.records.get(INSTALLATION)?.value ?? null;
  }

  secrets(): SecretRecord[] {
    return [...this.records.values()]
      .filter(({ kind }) => kind === 'secret')
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  /** Of every secret, in their order. */
  states(now: number): { record: SecretRecord; state: SecretState }[] {
    const all = this.secrets();
    const settled = all.findLastIndex(({ createdAt }) => createdAt + SETTLING_MS <= now);
    const signing = Math.max(0, settled);
    return all.map((record, at) => {
      if (at >= signing) return { record, state: at === signing ? 'signs' : 'new' };
      const replaced = all[at + 1]!.createdAt + SETTLING_MS;
      return { record, state: now < replaced + KEPT_MS ? 'accepted' : 'ended' };
    });
  }
}

export async function readSecrets(log: SecretsLog): Promise<SecretBook> {
  await log.ensureTopics([secretsTopic]);
  const book = new SecretBook();
  for await (const page of keyedPages(log, secretsTopic, { records: RECORDS })) {
    for (const { key, value } of page) book.put(key, value);
  }
  return book;
}

/**
 * Appends what `make` finds missing after a look at all that is there. A writer takes over before it reads, so that of
 * several processes that start together one makes the first secret, and the others read it.
 */
async function write(
  log: SecretsLog,
  make: (book: SecretBook) => { records: SecretRecord[]; gone?: readonly string[] },
): Promise<SecretBook> {
  await log.ensureTopics([secretsTopic]);
  const writer = await log.openWriter(WRITER);
  try {
    const book = await readSecrets(log);
    const { records, gone = [] } = make(book);
    const appends = [
      ...records.map((record) => ({ topic: secretsTopic, key: keyOf(record), value: encodeSecret(record) })),
      ...gone.map((key) => ({ topic: secretsTopic, key, value: null })),
    ];
    if (appends.length > 0) await writer.append(appends);
    for (const { key, value } of appends) book.put(key, value);
    return book;
  } finally {
    await writer.close();
  }
}

const keyOf = ({ kind, id }: SecretRecord): string => (kind === 'installation' ? INSTALLATION : `secret:${id}`);
const secretOf = (value: string, createdAt: number): SecretRecord => ({
  ...{ kind: 'secret', id: randomBytes(6).toString('base64url'), value, createdAt },
});
const newValue = (): string => randomBytes(32).toString('hex');

/** Makes the first ones where there are none. `before`: what this installation used so far, kept as the first one. */
export function firstSecrets(log: SecretsLog, now: number, before: string | null): Promise<SecretBook> {
  return write(log, (book) => {
    if (book.identity !== null) return { records: [] };
    const value = before ?? newValue();
    return { records: [{ kind: 'installation', id: INSTALLATION, value, createdAt: now }, secretOf(value, now)] };
  });
}

/** A new secret; those that are accepted no more are taken away. */
export function rotateSecrets(log: SecretsLog, now: number): Promise<SecretBook> {
  return write(log, (book) => {
    const ended = book.states(now).filter(({ state }) => state === 'ended');
    // Later than the one before, whatever the clocks of two machines say.
    const at = Math.max(now, (book.secrets().at(-1)?.createdAt ?? 0) + 1);
    return { records: [secretOf(newValue(), at)], gone: ended.map(({ record }) => keyOf(record)) };
  });
}
