import type { PayloadClass } from '#libs/serve/contract/schema/property.js';

/** One kind of frame that carries rows of a channel. */
interface DeclaredFrame {
  readonly type: string;
  readonly payload: PayloadClass;
  readonly summary: string;
}

/**
 * One live channel, declared once: the reading and checking of its parameters, the AsyncAPI document and the typed client
 * follow from it. `parameters` is a class with class-validator rules.
 */
export interface ChannelDeclaration<Parameters extends object = object> {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: PayloadClass<Parameters>;
  /** The frames with rows, the snapshot first; those that every channel has are declared with the protocol. */
  readonly frames: readonly DeclaredFrame[];
  /** The REST route that answers the same rows. */
  readonly twin: string;
  /** Where only chains of one family have it. */
  readonly family?: 'evm' | 'solana';
  readonly access: 'keyed';
  readonly cost: 'stream';
}
