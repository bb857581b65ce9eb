import { payload } from '../schema/property.js';
import { integer, integerOrNull, text } from './field.js';

/** The state that an answer was computed from. */
export class Meta extends payload({
  block: integer('Height of the last block this answer includes.', { example: 21000000 }),
  blockHash: text('Hash of that block.', {
    example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f',
  }),
  finalized: integerOrNull(
    "Height up to which the chain's own finality reaches; blocks above it may still be retracted.",
    {
      example: 20_999_936,
    },
  ),
  proof: text<'full' | 'sampled' | 'none'>(
    'How that block was checked. `full`: all of it, against what its header commits to. `sampled`: that nothing of it is ' +
      'left out, and all of some blocks. `none`: it is the word of one node, or it is not known how it was checked.',
    { enum: ['full', 'sampled', 'none'], example: 'full' },
  ),
}) {}
