import type { Projection } from '../projection.js';
import type { SectionSpec } from '../section.js';
import { readSentTrades, readTrades, UNCOUNTED_CODES, writeSentTrades, writeTrades } from './codec.js';

/** Of facts of before trades said who sent them. */
const unsent: SectionSpec = {
  name: 'trades',
  version: 1,
  groups: ['block'],
  member: 'trades',
  layout: 'columns',
  fields: [
    { name: 'ordinal', kind: 'delta' },
    { name: 'txOrdinal', kind: 'unsigned' },
    { name: 'tx', kind: 'id' },
    { name: 'wallet', kind: 'id' },
    { name: 'pool', kind: 'id' },
    { name: 'venue', kind: 'label' },
    { name: 'base', kind: 'id' },
    { name: 'quote', kind: 'id' },
    { name: 'baseDecimals', kind: 'unsigned' },
    { name: 'quoteDecimals', kind: 'unsigned' },
    { name: 'side', kind: 'code', values: ['buy', 'sell'] },
    { name: 'uncounted', kind: 'code', values: UNCOUNTED_CODES },
    { name: 'baseAmount', kind: 'amount' },
    { name: 'quoteAmount', kind: 'amount' },
    { name: 'priceUsd', kind: 'amountOrNull' },
    { name: 'coinUsd', kind: 'repeatedAmount' },
    { name: 'volumeUsd', kind: 'amountOrNull' },
    { name: 'volumeCoin', kind: 'amountOrNull' },
  ],
  write: writeTrades,
  read: readTrades,
};

const section: SectionSpec = {
  ...unsent,
  version: 2,
  fields: [...unsent.fields, { name: 'sender', kind: 'id' }],
  write: writeSentTrades,
  read: readSentTrades,
};

/** Every swap, in the order of its base token and, in the copies, of its quote token and of its wallet. */
export const trades: Projection = {
  name: 'trades',
  sections: [section],
  earlier: [unsent],
  journals: [
    {
      name: 'trades',
      writtenFrom: section,
      columns: [
        { name: 'ordinal', type: 'uint32', from: 'ordinal' },
        { name: 'tx', type: 'id', from: 'tx' },
        { name: 'tx_ordinal', type: 'uint32', from: 'txOrdinal' },
        { name: 'wallet', type: 'id', from: 'wallet' },
        { name: 'sender', type: 'idOrNull', from: 'sender' },
        { name: 'pool', type: 'id', from: 'pool' },
        { name: 'venue', type: 'word', from: 'venue' },
        { name: 'base', type: 'id', from: 'base' },
        { name: 'quote', type: 'id', from: 'quote' },
        { name: 'base_decimals', type: 'uint8', from: 'baseDecimals' },
        { name: 'quote_decimals', type: 'uint8', from: 'quoteDecimals' },
        { name: 'side', type: 'side', from: 'side' },
        { name: 'base_amount', type: 'uint256', from: 'baseAmount' },
        { name: 'quote_amount', type: 'uint256', from: 'quoteAmount' },
        { name: 'price_usd', type: 'priceE36', from: 'priceUsd' },
        { name: 'coin_usd', type: 'priceE36', from: 'coinUsd' },
        { name: 'volume_usd', type: 'volumeE18', from: 'volumeUsd' },
        { name: 'volume_coin', type: 'volumeE18', from: 'volumeCoin' },
        { name: 'counted', type: 'bool', from: 'uncounted' },
        { name: 'uncounted', type: 'word', from: 'uncounted' },
      ],
      orderBy: ['base', 'block', 'ordinal'],
      copies: [
        { name: 'trades_by_quote', added: [], orderBy: ['quote', 'block', 'ordinal'], rows: 1 },
        { name: 'trades_by_wallet', added: [], orderBy: ['wallet', 'block', 'ordinal'], rows: 1 },
      ],
    },
  ],
};
