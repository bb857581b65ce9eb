-- Token program and extensions of each token: the newest row of each key holds.

CREATE TABLE IF NOT EXISTS {db}.token_standards
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    standard LowCardinality(String),
    extensions LowCardinality(String)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
