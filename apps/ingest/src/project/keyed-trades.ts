import type { IdFormat } from '#libs/core/ids.js';
import type { Append } from '#libs/pipeline/event-log/log.js';
import { keyedTradeKey, keyedTradeValue } from '#libs/protocol/codec/keyed-json.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { tradesTopic } from '#libs/protocol/topics.js';

/**
 * The keyed topic `trades` for outsiders: one JSON document a trade, keyed by base token, appended in the same
 * transaction as its facts group. Nothing inside Tidepool reads it.
 */
export function keyedTrades(group: FactsGroup, ids: IdFormat): Append[] {
  if (group.kind !== 'block') return [];
  return group.trades.map((trade) => ({
    topic: tradesTopic,
    key: keyedTradeKey(group, trade, ids),
    value: keyedTradeValue(group, trade, ids),
  }));
}
