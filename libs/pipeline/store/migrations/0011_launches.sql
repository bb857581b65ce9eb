-- Launch, creator and creation of tokens: the newest row of each key holds.

CREATE TABLE IF NOT EXISTS {db}.launches
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    origin UInt8 CODEC(Delta, LZ4),
    launchpad LowCardinality(String),
    creator String CODEC(ZSTD(1)),
    created_at UInt64 CODEC(ZSTD(1)),
    curve String CODEC(ZSTD(1)),
    progress_ppm UInt32 CODEC(ZSTD(1)),
    graduated UInt8 CODEC(Delta, LZ4),
    graduated_at UInt64 CODEC(ZSTD(1)),
    graduated_pool String CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
