import { list, text } from '../rest/field.js';
import { TokenPool } from '../rest/token-body.js';
import { DataFrame } from './frames.js';

export class PairsSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @list(() => TokenPool, 'Its pools, deepest first; at most 200: those of the token’s REST answer. Replaces all.')
  data!: TokenPool[];
}

export class PairFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['pair'] })
  type!: 'pair';

  @list(
    () => TokenPool,
    'Pools of the token that are new or trade, as they are after the block: put each in the place of the one with its address.',
  )
  data!: TokenPool[];
}
