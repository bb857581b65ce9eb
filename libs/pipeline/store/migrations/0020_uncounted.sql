-- Why a trade moves no candle; empty where it does. What its block undid is summed apart from volumes.

ALTER TABLE {db}.trades ADD COLUMN IF NOT EXISTS uncounted LowCardinality(String) DEFAULT if(counted, '', 'unknown') AFTER counted;

ALTER TABLE {db}.trades_by_quote ADD COLUMN IF NOT EXISTS uncounted LowCardinality(String) DEFAULT if(counted, '', 'unknown') AFTER counted;

ALTER TABLE {db}.trades_by_wallet ADD COLUMN IF NOT EXISTS uncounted LowCardinality(String) DEFAULT if(counted, '', 'unknown') AFTER counted;

-- The copies are of the columns that were there when they were made.
DROP VIEW IF EXISTS {db}.trades_by_quote_copy;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.trades_by_quote_copy TO {db}.trades_by_quote AS
SELECT * FROM {db}.trades;

DROP VIEW IF EXISTS {db}.trades_by_wallet_copy;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.trades_by_wallet_copy TO {db}.trades_by_wallet AS
SELECT * FROM {db}.trades;

ALTER TABLE {db}.candles ADD COLUMN IF NOT EXISTS loop_volume_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER volume_coin;
