-- Tags of wallets with tokens and what follows from them, rights over tokens: the newest row of each key holds.

CREATE TABLE IF NOT EXISTS {db}.token_rights
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    mint_known UInt8 CODEC(Delta, LZ4),
    mint String CODEC(ZSTD(1)),
    freeze_known UInt8 CODEC(Delta, LZ4),
    freeze String CODEC(ZSTD(1)),
    metadata_known UInt8 CODEC(Delta, LZ4),
    metadata String CODEC(ZSTD(1)),
    fee_known UInt8 CODEC(Delta, LZ4),
    transfer_fee_bps UInt32 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.first_trades
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    subject LowCardinality(String),
    id String CODEC(ZSTD(1)),
    height UInt64 CODEC(ZSTD(1)),
    started_at UInt64 CODEC(ZSTD(1)),
    fresh UInt8 CODEC(Delta, LZ4)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (subject, id, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.trader_tags
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    tags UInt32 CODEC(ZSTD(1)),
    tagged_at UInt64 CODEC(ZSTD(1)),
    traded_at UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, wallet, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.token_shares
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    fresh UInt8 CODEC(Delta, LZ4),
    tagged UInt64 CODEC(Delta, LZ4),
    creator UInt256 CODEC(ZSTD(1)),
    snipers UInt256 CODEC(ZSTD(1)),
    bundlers UInt256 CODEC(ZSTD(1)),
    insiders UInt256 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
