-- Trades in the order of wallets, for what one wallet did.

CREATE TABLE IF NOT EXISTS {db}.trades_by_wallet AS {db}.trades
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (wallet, block, ordinal)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.trades_by_wallet_copy TO {db}.trades_by_wallet AS
SELECT * FROM {db}.trades;
