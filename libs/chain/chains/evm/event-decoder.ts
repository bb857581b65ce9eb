import type { ChainEvent } from '#libs/protocol/blocks.js';
import type { HexText } from './hex-text.js';

/** What a decoder needs of a log: `address` and topics 0x-prefixed, as they came. */
export interface LogInput {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: HexText;
}

/**
 * Decodes one event signature. Null means: same topic, another shape (wrong number of topics or words, a value outside
 * its type), so not this event. `tx` and `ordinal` go into the event as they are.
 */
export type EventDecoder = (log: LogInput, tx: number, ordinal: number) => ChainEvent | null;
