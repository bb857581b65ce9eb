import { list, listOrNull } from '../rest/field.js';
import { Holding } from '../rest/holder-body.js';
import { TradeBody } from '../rest/trade-body.js';
import { extendPayload } from '../schema/property.js';
import { ChangedTags, DataFrame, frameType } from './frames.js';

export class WalletSnapshotFrame extends extendPayload(DataFrame, {
  type: frameType('snapshot'),
  data: list(
    () => TradeBody,
    'The newest trades of the wallet, newest first: what the REST route answers. Replaces all.',
  ),
  balances: listOrNull(
    () => Holding,
    'All that the wallet holds, the most valuable first; null without `balances: true`.',
  ),
}) {}

export class WalletTradesFrame extends extendPayload(DataFrame, {
  type: frameType('trades'),
  data: list(() => TradeBody, 'New trades of the wallet, oldest first.'),
  balances: listOrNull(
    () => Holding,
    'What changed of its holdings with them: put each in the place of the one with its token. Null without `balances: true`.',
  ),
  tags: list(
    () => ChangedTags,
    'Its tags that changed with them: put them on every trade of the wallet with the token.',
  ),
}) {}

export class WalletTagsFrame extends extendPayload(DataFrame, {
  type: frameType('tags'),
  data: list(() => ChangedTags, 'Its tags that changed: put them on every trade of the wallet with the token.'),
  balances: listOrNull(() => Holding, 'What changed of its holdings meanwhile. Null without `balances: true`.'),
}) {}

export class BalancesFrame extends extendPayload(DataFrame, {
  type: frameType('balances'),
  data: list(
    () => Holding,
    'Holdings that changed without a trade: put each in the place of the one with its token; amount 0: none is left; null: what it holds of it is not known any more, remove it.',
  ),
}) {}
