import { integer, integerOrNull, numberOrNull, object, objectOrNull } from '../rest/field.js';
import { TokenBody } from '../rest/token-body.js';
import { TokenStats } from '../rest/token-stats.js';
import { worthFields } from '../rest/worth-body.js';
import { extendPayload, payload } from '../schema/property.js';
import { DataFrame, frameType } from './frames.js';

/** What trades move of a token: the fields of the same names of its REST answer. */
export class TokenTick extends payload({
  priceUsd: numberOrNull('Price in USD at the end of the block.', { example: 3_102.5 }),
  priceNative: numberOrNull('Price in the coin of the chain.', { example: 1 }),
  marketCapUsd: numberOrNull('Price times circulating supply; null where that is not measured.', {
    example: 7_120_455_002.1,
  }),
  fdvUsd: numberOrNull('Price times total supply.', { example: 7_120_455_002.1 }),
  liquidityUsd: numberOrNull('Both sides of all its pools, valued in USD.', { example: 182_400_512.7 }),
  ...worthFields,
  stats: object(() => TokenStats, 'Activity over windows of block time that end with the block.'),
  holders: integerOrNull('How many hold it; null where that is not measured.', { example: 51_204 }),
  trades: integer('Trades of the token that this frame covers: those since the frame before.', { example: 1 }),
  updatedAt: integer('Time of the block of `meta`, Unix ms.', { example: 1_730_000_000_000 }),
}) {}

export class TokenSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: objectOrNull(
    () => TokenBody,
    'Everything known of the token: what the REST route answers. Replaces all that was sent. Null once a retraction made the token unknown.',
  ),
}) {}

export class TokenFrame extends extendPayload(DataFrame, {
  type: frameType('token'),
  data: object(() => TokenTick, 'Fields of the token that its trades moved: put them over those of the snapshot.'),
}) {}
