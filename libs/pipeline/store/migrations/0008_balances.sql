-- What wallets hold, and how many hold a token: the newest row of each key holds.

CREATE TABLE IF NOT EXISTS {db}.balances
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    amount UInt256 CODEC(ZSTD(1)),
    first_at UInt64 CODEC(ZSTD(1)),
    last_at UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, wallet, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.balances_by_wallet
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    amount UInt256 CODEC(ZSTD(1)),
    first_at UInt64 CODEC(ZSTD(1)),
    last_at UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (wallet, token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.balances_by_wallet_copy TO {db}.balances_by_wallet AS
SELECT * FROM {db}.balances;

CREATE TABLE IF NOT EXISTS {db}.token_holders
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    holders UInt64 CODEC(Delta, LZ4),
    held UInt256 CODEC(ZSTD(1)),
    minted UInt256 CODEC(ZSTD(1)),
    burnt UInt256 CODEC(ZSTD(1)),
    dead UInt256 CODEC(ZSTD(1)),
    recorded UInt256 CODEC(ZSTD(1)),
    standing UInt8 CODEC(Delta, LZ4)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
