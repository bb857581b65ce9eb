-- Who sent the transaction of a trade; null in rows of before it was recorded. The views of the
-- copies are made again by the next migration, which adds columns too.

ALTER TABLE {db}.trades ADD COLUMN IF NOT EXISTS sender Nullable(String) AFTER wallet;

ALTER TABLE {db}.trades_by_quote ADD COLUMN IF NOT EXISTS sender Nullable(String) AFTER wallet;

ALTER TABLE {db}.trades_by_wallet ADD COLUMN IF NOT EXISTS sender Nullable(String) AFTER wallet;
