import { list, text } from '../rest/field.js';
import { PriceBody } from '../rest/token-list-body.js';
import { DataFrame } from './frames.js';

export class PricesSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @list(() => PriceBody, 'In the order of the request; a token that no block named is left out. Replaces all.')
  data!: PriceBody[];
}

export class PricesFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['prices'] })
  type!: 'prices';

  @list(() => PriceBody, 'The tokens whose price changed: put each in the place of the one with its address.')
  data!: PriceBody[];
}
