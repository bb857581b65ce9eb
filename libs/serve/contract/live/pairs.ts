import { list } from '../rest/field.js';
import { TokenPool } from '../rest/token-body.js';
import { extendPayload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

export class PairsSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: list(() => TokenPool, 'Its pools, deepest first; at most 200: those of the token’s REST answer. Replaces all.'),
}) {}

export class PairFrame extends extendPayload(DataFrame, {
  type: frameType('pair'),
  data: list(
    () => TokenPool,
    'Pools of the token that are new or trade, as they are after the block: put each in the place of the one with its address.',
  ),
}) {}
