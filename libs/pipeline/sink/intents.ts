import { LogBrokenError } from '#libs/core/errors.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { intentsTopic } from '#libs/protocol/topics.js';

/**
 * What a sink is about to insert: an exact range of facts groups and the token of its inserts. It is published under the
 * sink's fence before the first insert (rule 15) and repeated identically after a crash, never with another range.
 */
export interface Intent {
  generation: number;
  epoch: number;
  foldVersion: number;
  fromSeq: number;
  toSeq: number;
  token: string;
}

const key = (generation: number) => `g${generation}`;

export async function publishIntent(writer: LogWriter, chain: string, intent: Intent): Promise<void> {
  const value = Buffer.from(JSON.stringify(intent));
  await writer.append([{ topic: intentsTopic(chain), key: key(intent.generation), value }]);
}

export async function lastIntent(log: EventLog, chain: string, generation: number): Promise<Intent | null> {
  const value = (await log.readCompacted(intentsTopic(chain))).get(key(generation));
  return value === undefined ? null : parse(chain, key(generation), value);
}

/** The newest intent of every generation that ever had one. */
export async function intentsByGeneration(log: EventLog, chain: string): Promise<Map<number, Intent>> {
  const intents = new Map<number, Intent>();
  for (const [name, value] of await log.readCompacted(intentsTopic(chain))) {
    const intent = parse(chain, name, value);
    intents.set(intent.generation, intent);
  }
  return intents;
}

function parse(chain: string, name: string, value: Uint8Array): Intent {
  const intent: unknown = JSON.parse(Buffer.from(value).toString('utf8'));
  if (!isIntent(intent)) throw new LogBrokenError(`${intentsTopic(chain).name}: the intent of ${name} is not readable`);
  return intent;
}

function isIntent(value: unknown): value is Intent {
  const fields = value as Intent;
  const numbers = [fields?.generation, fields?.epoch, fields?.foldVersion, fields?.fromSeq, fields?.toSeq];
  return numbers.every(Number.isSafeInteger) && typeof fields.token === 'string';
}
