import { list } from '../rest/field.js';
import { PositionRow } from '../rest/profit-body.js';
import { extendPayload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

class TradersState extends extendPayload(DataFrame, {
  data: list(
    () => PositionRow,
    'The first 50, the largest realised profit first: what the REST route answers. Replaces all.',
  ),
}) {}

export class TradersSnapshotFrame extends extendPayload(TradersState, {
  type: frameType('snapshot'),
}) {}

export class TradersFrame extends extendPayload(TradersState, {
  type: frameType('traders'),
}) {}
