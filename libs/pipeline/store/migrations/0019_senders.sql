-- Who sent the transaction of a trade; null in rows of before it was recorded.

ALTER TABLE {db}.trades ADD COLUMN IF NOT EXISTS sender Nullable(String) AFTER wallet;

ALTER TABLE {db}.trades_by_quote ADD COLUMN IF NOT EXISTS sender Nullable(String) AFTER wallet;

ALTER TABLE {db}.trades_by_wallet ADD COLUMN IF NOT EXISTS sender Nullable(String) AFTER wallet;

-- The copies are of the columns that were there when they were made.
DROP VIEW IF EXISTS {db}.trades_by_quote_copy;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.trades_by_quote_copy TO {db}.trades_by_quote AS
SELECT * FROM {db}.trades;

DROP VIEW IF EXISTS {db}.trades_by_wallet_copy;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.trades_by_wallet_copy TO {db}.trades_by_wallet AS
SELECT * FROM {db}.trades;
