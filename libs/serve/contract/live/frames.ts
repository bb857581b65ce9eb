import { CandleBody } from '../rest/candle-body.js';
import { ErrorDetail } from '../rest/error-body.js';
import { flag, integer, list, object, text, textList } from '../rest/field.js';
import { Meta } from '../rest/meta.js';
import { TradeBody } from '../rest/trade-body.js';
import { plainProperty } from '../schema/property.js';

/**
 * The frames of the live interface. Every frame has `type` and the `id` of the subscription it belongs to, written as the
 * client gave it; data frames say which state of which log they lead to. Unknown types are to be ignored.
 */
/** What an id may be: text of 1 to 128 characters or a whole number. */
export type LiveId = string | number;

const frameId = (description: string) =>
  plainProperty({ type: ['string', 'integer', 'null'], description, examples: ['1'] });

export class ResumePoint {
  @text('`epoch` of the last frame that was applied.', { example: '1.1.b3Jk2xQa' })
  epoch!: string;

  @integer('`seq` of the last frame that was applied.', { example: 48_211 })
  seq!: number;
}

class Frame {
  @frameId('Id of the subscription, as it was given; null on an answer to no subscription.')
  id!: LiveId | null;
}

class ChannelFrame extends Frame {
  @text('Channel of the subscription.', { example: 'trades' })
  channel!: string;
}

export class SubscribedFrame extends ChannelFrame {
  @text('Kind of the frame.', { enum: ['subscribed'] })
  type!: 'subscribed';

  @flag('True: the deltas after `resume` follow and no snapshot.')
  resumed!: boolean;
}

export class UnsubscribedFrame extends ChannelFrame {
  @text('Kind of the frame.', { enum: ['unsubscribed'] })
  type!: 'unsubscribed';
}

/** Deltas were lost; a fresh snapshot follows. */
export class LaggedFrame extends ChannelFrame {
  @text('Kind of the frame.', { enum: ['lagged'] })
  type!: 'lagged';
}

export class PongFrame extends Frame {
  @text('Kind of the frame.', { enum: ['pong'] })
  type!: 'pong';
}

export class ErrorFrame extends ErrorDetail {
  @text('Kind of the frame.', { enum: ['error'] })
  type!: 'error';

  @frameId('Id of the operation that was refused; a refused subscription leaves its id free.')
  id!: LiveId | null;
}

export class DataFrame extends ChannelFrame {
  @text('Names the log that `seq` counts in.', { example: '1.1.b3Jk2xQa' })
  epoch!: string;

  @integer('Rises with every frame of a subscription; not every number occurs.', { example: 48_211 })
  seq!: number;

  @object(() => Meta, 'The state this frame leads to.')
  meta!: Meta;
}

export class TradesSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @list(() => TradeBody, 'The newest trades, newest first: what the REST route answers without parameters.')
  data!: TradeBody[];
}

export class TradesFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['trades'] })
  type!: 'trades';

  @list(() => TradeBody, 'The trades of one block, oldest first.')
  data!: TradeBody[];
}

/** A trade whose block lost its fork. */
export class RetractedTrade {
  @text('Id of the trade.', { example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8-0' })
  id!: string;

  @text('Transaction id.', { example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8' })
  signature!: string;

  @text('Sender of the transaction.', { example: '0x28c6c06298d514db089934071355e5743bf21d60' })
  wallet!: string;
}

export class RetractFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['retract'] })
  type!: 'retract';

  @list(() => RetractedTrade, 'Every trade that is gone, whether it was sent to this subscription or not.')
  data!: RetractedTrade[];
}

/** What a wallet is known for with a token from here on. */
export class ChangedTags {
  @text('The token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' })
  token!: string;

  @text('Wallet of the trades that show them.', { example: '0x28c6c06298d514db089934071355e5743bf21d60' })
  wallet!: string;

  @textList('All of its tags; empty where none is left.')
  tags!: string[];
}

export class TagsFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['tags'] })
  type!: 'tags';

  @list(
    () => ChangedTags,
    'Wallets whose tags changed: put them on every trade of the wallet with the token that was sent. A wallet may have no such trade.',
  )
  data!: ChangedTags[];
}

export class CandlesSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @list(() => CandleBody, 'The newest candles, ascending: what the REST route answers. Replaces all that were sent.')
  data!: CandleBody[];
}

export class CandlesFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['candles'] })
  type!: 'candles';

  @list(() => CandleBody, 'The candles that changed, whole: put each in the place of the one with its time.')
  data!: CandleBody[];
}
