import { chainSlug, list, text } from '../rest/field.js';
import { BoardRow } from '../rest/launchpad-body.js';
import { DataFrame } from './frames.js';

export class LaunchpadSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @list(() => BoardRow, 'The first 50 of the board, in its order: what the REST route answers. Replaces all.')
  data!: BoardRow[];
}

export class AddFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['add'] })
  type!: 'add';

  @list(
    () => BoardRow,
    'Tokens that are new among the first 50, or changed: put each in the place of the one with its address.',
  )
  data!: BoardRow[];
}

/** A token that is no longer among the first 50 of a board. */
export class RemovedToken {
  @chainSlug()
  chain!: string;

  @text('Address of the token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' })
  address!: string;
}

export class RemoveFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['remove'] })
  type!: 'remove';

  @list(() => RemovedToken, 'Tokens that left the first 50 of the board.')
  data!: RemovedToken[];
}
