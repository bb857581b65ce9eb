import { flag, integerOrNull, list, text } from '../rest/field.js';
import { Holder } from '../rest/holder-body.js';
import { DataFrame } from './frames.js';

class HoldersState extends DataFrame {
  @list(
    () => Holder,
    'The largest 50, the largest first: what the REST route answers without parameters. Replaces all.',
  )
  data!: Holder[];

  @flag('Whether every transfer of the token is in view and its balances add up. Where they do not, there are no rows.')
  complete!: boolean;

  @integerOrNull('How many holders there are; null where `complete` is false.', { example: 51_204 })
  holders!: number | null;
}

export class HoldersSnapshotFrame extends HoldersState {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';
}

export class HoldersFrame extends HoldersState {
  @text('Kind of the frame.', { enum: ['holders'] })
  type!: 'holders';
}
