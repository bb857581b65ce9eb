-- What backs a price, as text: decimals and pooled amount of the token, then each pool with its quote, spot and curve (docs/prices.md).
-- Rows of earlier versions of the fold have none.

ALTER TABLE {db}.prices ADD COLUMN IF NOT EXISTS backing Nullable(String) CODEC(ZSTD(1));
