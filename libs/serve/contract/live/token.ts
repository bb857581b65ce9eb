import { integer, integerOrNull, numberOrNull, object, objectOrNull, text } from '../rest/field.js';
import { TokenBody } from '../rest/token-body.js';
import { TokenStats } from '../rest/token-stats.js';
import { DataFrame } from './frames.js';

/** What trades move of a token: the fields of the same names of its REST answer. */
export class TokenTick {
  @numberOrNull('Price in USD at the end of the block.', { example: 3_102.5 })
  priceUsd!: number | null;

  @numberOrNull('Price in the coin of the chain.', { example: 1 })
  priceNative!: number | null;

  @numberOrNull('Price times circulating supply; null where that is not measured.', { example: 7_120_455_002.1 })
  marketCapUsd!: number | null;

  @numberOrNull('Price times total supply.', { example: 7_120_455_002.1 })
  fdvUsd!: number | null;

  @numberOrNull('Both sides of all its pools, valued in USD.', { example: 182_400_512.7 })
  liquidityUsd!: number | null;

  @object(() => TokenStats, 'Activity over windows of block time that end with the block.')
  stats!: TokenStats;

  @integerOrNull('How many hold it; null where that is not measured.', { example: 51_204 })
  holders!: number | null;

  @integer('Trades of the token that this frame covers: those since the frame before.', { example: 1 })
  trades!: number;

  @integer('Time of the block of `meta`, Unix ms.', { example: 1_730_000_000_000 })
  updatedAt!: number;
}

export class TokenSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @objectOrNull(
    () => TokenBody,
    'Everything known of the token: what the REST route answers. Replaces all that was sent. Null once a retraction made the token unknown.',
  )
  data!: TokenBody | null;
}

export class TokenFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['token'] })
  type!: 'token';

  @object(() => TokenTick, 'Fields of the token that its trades moved: put them over those of the snapshot.')
  data!: TokenTick;
}
