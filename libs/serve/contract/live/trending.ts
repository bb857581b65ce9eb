import { list, text } from '../rest/field.js';
import { ScreenerRow } from '../rest/screener-body.js';
import { DataFrame } from './frames.js';

class TrendingState extends DataFrame {
  @list(
    () => ScreenerRow,
    'The 50 most active tokens, the highest score first: what the REST route answers. Replaces all.',
  )
  data!: ScreenerRow[];
}

export class TrendingSnapshotFrame extends TrendingState {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';
}

export class TrendingFrame extends TrendingState {
  @text('Kind of the frame.', { enum: ['trending'] })
  type!: 'trending';
}
