-- Ids and places of the large journals with LZ4: hashes and addresses are random bytes, on which ZSTD spends a third of an
-- insert's time for a tenth of the space. Amounts and prices, mostly zeros, stay with ZSTD. Only new parts are concerned.

ALTER TABLE {db}.blocks
    MODIFY COLUMN seq CODEC(Delta, LZ4), MODIFY COLUMN block CODEC(Delta, LZ4), MODIFY COLUMN time CODEC(Delta, LZ4),
    MODIFY COLUMN hash CODEC(LZ4), MODIFY COLUMN parent CODEC(LZ4);

ALTER TABLE {db}.pool_states
    MODIFY COLUMN seq CODEC(Delta, LZ4), MODIFY COLUMN block CODEC(Delta, LZ4), MODIFY COLUMN time CODEC(Delta, LZ4),
    MODIFY COLUMN pool CODEC(LZ4);

ALTER TABLE {db}.prices
    MODIFY COLUMN seq CODEC(Delta, LZ4), MODIFY COLUMN block CODEC(Delta, LZ4), MODIFY COLUMN time CODEC(Delta, LZ4),
    MODIFY COLUMN token CODEC(LZ4), MODIFY COLUMN pool CODEC(LZ4), MODIFY COLUMN quote CODEC(LZ4);

ALTER TABLE {db}.trades
    MODIFY COLUMN seq CODEC(Delta, LZ4), MODIFY COLUMN block CODEC(Delta, LZ4), MODIFY COLUMN time CODEC(Delta, LZ4),
    MODIFY COLUMN ordinal CODEC(LZ4), MODIFY COLUMN tx CODEC(LZ4), MODIFY COLUMN tx_ordinal CODEC(LZ4),
    MODIFY COLUMN wallet CODEC(LZ4), MODIFY COLUMN pool CODEC(LZ4), MODIFY COLUMN base CODEC(LZ4), MODIFY COLUMN quote CODEC(LZ4);

ALTER TABLE {db}.trades_by_quote
    MODIFY COLUMN seq CODEC(Delta, LZ4), MODIFY COLUMN block CODEC(Delta, LZ4), MODIFY COLUMN time CODEC(Delta, LZ4),
    MODIFY COLUMN ordinal CODEC(LZ4), MODIFY COLUMN tx CODEC(LZ4), MODIFY COLUMN tx_ordinal CODEC(LZ4),
    MODIFY COLUMN wallet CODEC(LZ4), MODIFY COLUMN pool CODEC(LZ4), MODIFY COLUMN base CODEC(LZ4), MODIFY COLUMN quote CODEC(LZ4);

ALTER TABLE {db}.transfers
    MODIFY COLUMN seq CODEC(Delta, LZ4), MODIFY COLUMN block CODEC(Delta, LZ4), MODIFY COLUMN time CODEC(Delta, LZ4),
    MODIFY COLUMN ordinal CODEC(LZ4), MODIFY COLUMN tx CODEC(LZ4), MODIFY COLUMN token CODEC(LZ4),
    MODIFY COLUMN from_wallet CODEC(LZ4), MODIFY COLUMN to_wallet CODEC(LZ4);
