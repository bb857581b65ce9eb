import { list, text } from '../rest/field.js';
import { PositionRow } from '../rest/profit-body.js';
import { DataFrame } from './frames.js';

class TradersState extends DataFrame {
  @list(
    () => PositionRow,
    'The first 50, the largest realised profit first: what the REST route answers. Replaces all.',
  )
  data!: PositionRow[];
}

export class TradersSnapshotFrame extends TradersState {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';
}

export class TradersFrame extends TradersState {
  @text('Kind of the frame.', { enum: ['traders'] })
  type!: 'traders';
}
