-- Volume and trades by venue and day: the newest row of each key holds.

CREATE TABLE IF NOT EXISTS {db}.venue_volumes
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    venue LowCardinality(String),
    day UInt32 CODEC(Delta, LZ4),
    volume_usd Decimal(76, 18) CODEC(ZSTD(1)),
    trades UInt64 CODEC(Delta, LZ4)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (venue, day, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
