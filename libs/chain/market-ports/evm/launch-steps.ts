import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import type { HexText } from '#libs/chain/chains/evm/hex-text.js';

/** Steps of launches that a launchpad's own contracts announce, where its tokens do not trade on curves of its own. */
export interface LaunchSteps {
  /** Counts the changes of what it decodes. */
  readonly revision: number;
  /** By the name that the chain gives the contract, then by topic 0. Only that contract is heard. */
  readonly contracts: Readonly<Record<string, Readonly<Record<string, EventDecoder>>>>;
}

/** True when the data begins with so many words: what follows are texts and lists. */
export const hasHead = (data: HexText, words: number): boolean => data.digits >= 64 * words && data.digits % 64 === 0;

/** The start of an event that a launchpad announces. */
export const launchOf = (launchpad: string, tx: number, ordinal: number) =>
  ({ kind: 'launch', tx, ordinal, launchpad }) as const;
