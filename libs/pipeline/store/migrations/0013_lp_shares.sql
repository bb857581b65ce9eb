-- Shares of pools that are the token of their own shares: the newest row of each pool holds.

CREATE TABLE IF NOT EXISTS {db}.lp_shares
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    pool String CODEC(ZSTD(1)),
    known UInt8 CODEC(Delta, LZ4),
    supply UInt256 CODEC(ZSTD(1)),
    burnt UInt256 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (pool, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
