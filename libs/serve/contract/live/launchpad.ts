import { chainSlug, list, text } from '../rest/field.js';
import { BoardRow } from '../rest/launchpad-body.js';
import { extendPayload, payload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

export class LaunchpadSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: list(() => BoardRow, 'The first 50 of the board, in its order: what the REST route answers. Replaces all.'),
}) {}

export class AddFrame extends extendPayload(DataFrame, {
  type: frameType('add'),
  data: list(
    () => BoardRow,
    'Tokens that are new among the first 50, or changed: put each in the place of the one with its address.',
  ),
}) {}

/** A token that is no longer among the first 50 of a board. */
class RemovedToken extends payload({
  chain: chainSlug(),
  address: text('Address of the token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
}) {}

export class RemoveFrame extends extendPayload(DataFrame, {
  type: frameType('remove'),
  data: list(() => RemovedToken, 'Tokens that left the first 50 of the board.'),
}) {}
