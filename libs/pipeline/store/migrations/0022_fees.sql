-- What wallets paid for their transactions to be processed, and of how many that is not known: of all in rows of before it was counted.

ALTER TABLE {db}.wallet_profits ADD COLUMN IF NOT EXISTS fees_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER wins;

ALTER TABLE {db}.wallet_profits ADD COLUMN IF NOT EXISTS unknown_fees UInt64 DEFAULT buys + sells CODEC(ZSTD(1)) AFTER fees_usd;

ALTER TABLE {db}.wallet_profits_by_hour ADD COLUMN IF NOT EXISTS fees_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER wins;

ALTER TABLE {db}.wallet_profits_by_hour ADD COLUMN IF NOT EXISTS unknown_fees UInt64 DEFAULT buys + sells CODEC(ZSTD(1)) AFTER fees_usd;

-- The copy is of the columns that were there when it was made.
DROP VIEW IF EXISTS {db}.wallet_profits_by_hour_copy;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.wallet_profits_by_hour_copy TO {db}.wallet_profits_by_hour AS
SELECT * FROM {db}.wallet_profits;
