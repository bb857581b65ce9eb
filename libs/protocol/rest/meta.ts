import { integer, integerOrNull, text } from './field.js';

/** The state that an answer was computed from. */
export class Meta {
  @integer('Height of the last block this answer includes.', { example: 21000000 })
  block!: number;

  @text('Hash of that block.')
  blockHash!: string;

  @integerOrNull("Height up to which the chain's own finality reaches; blocks above it may still be retracted.")
  finalized!: number | null;
}
