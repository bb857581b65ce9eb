import { list } from '../rest/field.js';
import { ScreenerRow } from '../rest/screener-body.js';
import { extendPayload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

class TrendingState extends extendPayload(DataFrame, {
  data: list(
    () => ScreenerRow,
    'The 50 most active tokens, the highest score first: what the REST route answers. Replaces all.',
  ),
}) {}

export class TrendingSnapshotFrame extends extendPayload(TrendingState, {
  type: frameType('snapshot'),
}) {}

export class TrendingFrame extends extendPayload(TrendingState, {
  type: frameType('trending'),
}) {}
