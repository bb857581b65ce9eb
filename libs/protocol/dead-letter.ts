import { UndecodableError } from '#libs/core/errors.js';

/**
 * Input that no decoder of this program accepts (invariant 9). `topic` and `seq` say where its bytes are in the log;
 * input that never got into a log carries them itself. Values of the topic `dead-letters`, keyed by id: a later record
 * of the same id with `resolvedAt` closes the letter, and nothing is ever removed.
 */
export interface DeadLetter {
  id: string;
  /** Name of the stage that met it, as the supervisor knows it: replaying restarts this stage. */
  stage: string;
  chain: string;
  topic: string | null;
  seq: number | null;
  reason: string;
  /** Unix ms. */
  at: number;
  /** base64 of input that is in no topic; null otherwise. */
  payload: string | null;
  resolvedAt: number | null;
}

export function encodeDeadLetter(letter: DeadLetter): Uint8Array {
  return Buffer.from(JSON.stringify(letter));
}

export function decodeDeadLetter(bytes: Uint8Array): DeadLetter {
  let value: Partial<DeadLetter>;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<DeadLetter>;
  } catch (error) {
    throw new UndecodableError('dead letter', (error as Error).message);
  }
  const whole =
    typeof value === 'object' &&
    value !== null &&
    [value.id, value.stage, value.chain, value.reason].every((text) => typeof text === 'string') &&
    typeof value.at === 'number' &&
    [value.topic, value.payload].every((text) => text === null || typeof text === 'string') &&
    [value.seq, value.resolvedAt].every((number) => number === null || typeof number === 'number');
  if (!whole) throw new UndecodableError('dead letter', 'a field is missing or of the wrong type');
  return value as DeadLetter;
}
