import { FencedError } from '#libs/core/errors.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { type DeadLetter, decodeDeadLetter, encodeDeadLetter } from '#libs/protocol/dead-letter.js';
import { deadLettersTopic } from '#libs/protocol/topics.js';
import { keyedPages } from './keyed-pages.js';

const PAGE = 1_000;

/** The dead-letter topic as a list. A letter is open until a later record of its id says that it was resolved. */
export class DeadLetters {
  constructor(
    private readonly log: EventLog,
    private readonly now: () => number = Date.now,
  ) {}

  /** Adds a letter; one that is open already under the same id is not repeated. */
  async add(letter: Omit<DeadLetter, 'at' | 'resolvedAt'>): Promise<void> {
    if ((await this.open()).some(({ id }) => id === letter.id)) return;
    await this.append([{ ...letter, at: this.now(), resolvedAt: null }]);
  }

  async resolve(letters: DeadLetter[]): Promise<void> {
    await this.append(letters.map((letter) => ({ ...letter, resolvedAt: this.now() })));
  }

  /** Open letters, oldest first. */
  async open(): Promise<DeadLetter[]> {
    return (await this.all()).filter((letter) => letter.resolvedAt === null);
  }

  /** The newest state of every letter, in the order in which they came. */
  async all(): Promise<DeadLetter[]> {
    await this.log.ensureTopics([deadLettersTopic]);
    const letters = new Map<string, DeadLetter>();
    for await (const page of keyedPages(this.log, deadLettersTopic, { records: PAGE })) {
      for (const { key, value } of page) if (value !== null) letters.set(key, decodeDeadLetter(value));
    }
    return [...letters.values()];
  }

  /** A writer for each append: another process that appends at the same time is fenced and tries again. */
  private async append(letters: DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    await this.log.ensureTopics([deadLettersTopic]);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.appendOnce(letters);
      } catch (error) {
        if (!(error instanceof FencedError) || attempt === 5) throw error;
      }
    }
  }

  private async appendOnce(letters: DeadLetter[]): Promise<void> {
    const writer = await this.log.openWriter('dead-letters');
    try {
      await writer.append(
        letters.map((letter) => ({ topic: deadLettersTopic, key: letter.id, value: encodeDeadLetter(letter) })),
      );
    } finally {
      await writer.close();
    }
  }
}
