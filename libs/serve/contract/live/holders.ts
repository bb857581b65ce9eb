import { flag, integerOrNull, list } from '../rest/field.js';
import { Holder } from '../rest/holder-body.js';
import { extendPayload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

class HoldersState extends extendPayload(DataFrame, {
  data: list(
    () => Holder,
    'The largest 50, the largest first: what the REST route answers without parameters. Replaces all.',
  ),
  complete: flag(
    'Whether every transfer of the token is in view and its balances add up. Where they do not, there are no rows.',
  ),
  holders: integerOrNull('How many holders there are; null where `complete` is false.', { example: 51_204 }),
}) {}

export class HoldersSnapshotFrame extends extendPayload(HoldersState, {
  type: frameType('snapshot'),
}) {}

export class HoldersFrame extends extendPayload(HoldersState, {
  type: frameType('holders'),
}) {}
