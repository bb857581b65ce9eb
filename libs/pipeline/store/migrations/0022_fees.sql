-- What of their profit wallets of one funder made against each other; what they paid for their transactions to be processed, and of how
-- many that is not known: of all in rows of before it was counted.

ALTER TABLE {db}.wallet_profits ADD COLUMN IF NOT EXISTS linked_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER wins;

ALTER TABLE {db}.wallet_profits ADD COLUMN IF NOT EXISTS fees_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER linked_usd;

ALTER TABLE {db}.wallet_profits ADD COLUMN IF NOT EXISTS unknown_fees UInt64 DEFAULT buys + sells CODEC(ZSTD(1)) AFTER fees_usd;

ALTER TABLE {db}.wallet_profits_by_hour ADD COLUMN IF NOT EXISTS linked_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER wins;

ALTER TABLE {db}.wallet_profits_by_hour ADD COLUMN IF NOT EXISTS fees_usd Decimal(76, 18) DEFAULT 0 CODEC(ZSTD(1)) AFTER linked_usd;

ALTER TABLE {db}.wallet_profits_by_hour ADD COLUMN IF NOT EXISTS unknown_fees UInt64 DEFAULT buys + sells CODEC(ZSTD(1)) AFTER fees_usd;

-- The copy is of the columns that were there when it was made.
DROP VIEW IF EXISTS {db}.wallet_profits_by_hour_copy;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.wallet_profits_by_hour_copy TO {db}.wallet_profits_by_hour AS
SELECT * FROM {db}.wallet_profits;

CREATE TABLE IF NOT EXISTS {db}.funders
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    wallet String CODEC(ZSTD(1)),
    funder String CODEC(ZSTD(1)),
    traded UInt8 CODEC(ZSTD(1)),
    funded UInt32 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (wallet, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.linked_trades
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    funder String CODEC(ZSTD(1)),
    pool String CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    bought_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_usd Decimal(76, 18) CODEC(ZSTD(1)),
    made_selling_usd Decimal(76, 18) CODEC(ZSTD(1)),
    made_paying_usd Decimal(76, 18) CODEC(ZSTD(1)),
    linked_selling_usd Decimal(76, 18) CODEC(ZSTD(1)),
    linked_paying_usd Decimal(76, 18) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (funder, pool, wallet, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
