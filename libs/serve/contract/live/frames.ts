import { CandleBody } from '../rest/candle-body.js';
import { ErrorDetail } from '../rest/error-body.js';
import { flag, integer, list, object, text, textList } from '../rest/field.js';
import { Meta } from '../rest/meta.js';
import { TradeBody } from '../rest/trade-body.js';
import { extendPayload, payload, plainField } from '../schema/property.js';

/**
 * The frames of the live interface. Every frame has `type` and the `id` of the subscription it belongs to, written as the
 * client gave it; data frames say which state of which log they lead to. Unknown types are to be ignored.
 */
/** What an id may be: text of 1 to 128 characters or a whole number. */
export type LiveId = string | number;

const frameId = (description: string) =>
  plainField<LiveId | null>({ type: ['string', 'integer', 'null'], description, examples: ['1'] });

/** What tells the frames of a channel apart. */
export const frameType = <T extends string>(type: T) => text<T>('Kind of the frame.', { enum: [type] });

export class ResumePoint extends payload({
  epoch: text('`epoch` of the last frame that was applied.', { example: '1.1.b3Jk2xQa' }),
  seq: integer('`seq` of the last frame that was applied.', { example: 48_211 }),
}) {}

class Frame extends payload({
  id: frameId('Id of the subscription, as it was given; null on an answer to no subscription.'),
}) {}

class ChannelFrame extends extendPayload(Frame, {
  channel: text('Channel of the subscription.', { example: 'trades' }),
}) {}

export class SubscribedFrame extends extendPayload(ChannelFrame, {
  type: frameType('subscribed'),
  resumed: flag('True: the deltas after `resume` follow and no snapshot.'),
}) {}

export class UnsubscribedFrame extends extendPayload(ChannelFrame, {
  type: frameType('unsubscribed'),
}) {}

/** Deltas were lost; a fresh snapshot follows. */
export class LaggedFrame extends extendPayload(ChannelFrame, {
  type: frameType('lagged'),
}) {}

export class PongFrame extends extendPayload(Frame, {
  type: frameType('pong'),
}) {}

export class ErrorFrame extends extendPayload(ErrorDetail, {
  type: frameType('error'),
  id: frameId('Id of the operation that was refused; a refused subscription leaves its id free.'),
}) {}

export class DataFrame extends extendPayload(ChannelFrame, {
  epoch: text('Names the log that `seq` counts in.', { example: '1.1.b3Jk2xQa' }),
  seq: integer('Rises with every frame of a subscription; not every number occurs.', { example: 48_211 }),
  meta: object(() => Meta, 'The state this frame leads to.'),
}) {}

export class TradesSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: list(() => TradeBody, 'The newest trades, newest first: what the REST route answers without parameters.'),
}) {}

export class TradesFrame extends extendPayload(DataFrame, {
  type: frameType('trades'),
  data: list(() => TradeBody, 'The trades of one block, oldest first.'),
}) {}

/** A trade whose block lost its fork. */
export class RetractedTrade extends payload({
  id: text('Id of the trade.', { example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8-0' }),
  signature: text('Transaction id.', { example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8' }),
  wallet: text('Sender of the transaction.', { example: '0x28c6c06298d514db089934071355e5743bf21d60' }),
}) {}

export class RetractFrame extends extendPayload(DataFrame, {
  type: frameType('retract'),
  data: list(() => RetractedTrade, 'Every trade that is gone, whether it was sent to this subscription or not.'),
}) {}

/** What a wallet is known for with a token from here on. */
export class ChangedTags extends payload({
  token: text('The token.', { example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }),
  wallet: text('Wallet of the trades that show them.', { example: '0x28c6c06298d514db089934071355e5743bf21d60' }),
  tags: textList('All of its tags; empty where none is left.'),
}) {}

export class TagsFrame extends extendPayload(DataFrame, {
  type: frameType('tags'),
  data: list(
    () => ChangedTags,
    'Wallets whose tags changed: put them on every trade of the wallet with the token that was sent. A wallet may have no such trade.',
  ),
}) {}

export class CandlesSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: list(
    () => CandleBody,
    'The newest candles, ascending: what the REST route answers. Replaces all that were sent.',
  ),
}) {}

export class CandlesFrame extends extendPayload(DataFrame, {
  type: frameType('candles'),
  data: list(() => CandleBody, 'The candles that changed, whole: put each in the place of the one with its time.'),
}) {}
