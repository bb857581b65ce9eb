-- The tables of one chain and one generation. Journals are append-only; `seq` is the facts group a row came from, and a
-- row is visible when its seq is at or below the reader's checkpoint and in no range retracted there. Ids are raw bytes.

CREATE TABLE IF NOT EXISTS {db}.blocks
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    hash String CODEC(ZSTD(1)),
    parent String CODEC(ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (block, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.retractions
(
    seq UInt64,
    block UInt64,
    time DateTime64(3, 'UTC'),
    hash String,
    from_seq UInt64
)
ENGINE = MergeTree
ORDER BY seq
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.tokens
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    token String CODEC(ZSTD(1)),
    decimals Nullable(UInt8),
    symbol Nullable(String) CODEC(ZSTD(1)),
    name Nullable(String) CODEC(ZSTD(1)),
    total_supply Nullable(UInt256) CODEC(ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.pools
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    pool String CODEC(ZSTD(1)),
    venue LowCardinality(String),
    kind Enum8('constant-product' = 1, 'concentrated' = 2),
    token0 String CODEC(ZSTD(1)),
    token1 String CODEC(ZSTD(1)),
    fee_ppm UInt32,
    tick_spacing Int32,
    created Bool
)
ENGINE = MergeTree
ORDER BY (pool, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- Two rows a pool, in the order of its tokens.
CREATE TABLE IF NOT EXISTS {db}.pools_by_token
(
    token String CODEC(ZSTD(1)),
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    pool String CODEC(ZSTD(1)),
    venue LowCardinality(String),
    kind Enum8('constant-product' = 1, 'concentrated' = 2),
    token0 String CODEC(ZSTD(1)),
    token1 String CODEC(ZSTD(1)),
    fee_ppm UInt32,
    tick_spacing Int32,
    created Bool
)
ENGINE = MergeTree
ORDER BY (token, pool, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.pools_by_token_copy TO {db}.pools_by_token AS
SELECT arrayJoin([token0, token1]) AS token, seq, block, time, pool, venue, kind, token0, token1, fee_ppm, tick_spacing, created
FROM {db}.pools;

CREATE TABLE IF NOT EXISTS {db}.pool_states
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    pool String CODEC(ZSTD(1)),
    reserve0 Int256 CODEC(ZSTD(1)),
    reserve1 Int256 CODEC(ZSTD(1)),
    concentrated Bool,
    sqrt_price_x96 UInt256 CODEC(ZSTD(1)),
    tick Int32 CODEC(ZSTD(1)),
    liquidity UInt256 CODEC(ZSTD(1)),
    ticks Array(Tuple(Int32, UInt256, Int256)) CODEC(ZSTD(1)),
    ticks_complete Bool,
    anchored Bool
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (pool, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- A token's spot at the end of a block. Level 4 with nulls: no price from here on.
CREATE TABLE IF NOT EXISTS {db}.prices
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    token String CODEC(ZSTD(1)),
    pool Nullable(String) CODEC(ZSTD(1)),
    quote Nullable(String) CODEC(ZSTD(1)),
    spot Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    level UInt8,
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.reference_prices
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    token String CODEC(ZSTD(1)),
    usd Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (seq, token)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.trades
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    ordinal UInt32 CODEC(ZSTD(1)),
    tx String CODEC(ZSTD(1)),
    tx_ordinal UInt32 CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    pool String CODEC(ZSTD(1)),
    venue LowCardinality(String),
    base String CODEC(ZSTD(1)),
    quote String CODEC(ZSTD(1)),
    base_decimals UInt8,
    quote_decimals UInt8,
    side Enum8('buy' = 1, 'sell' = 2),
    base_amount UInt256 CODEC(ZSTD(1)),
    quote_amount UInt256 CODEC(ZSTD(1)),
    price_usd Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    coin_usd Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    volume_usd Nullable(Decimal(38, 18)) CODEC(ZSTD(1)),
    volume_coin Nullable(Decimal(38, 18)) CODEC(ZSTD(1)),
    counted Bool,
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (base, block, ordinal)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- The same rows in the order of the other token, so that a swap is read from either of its sides.
CREATE TABLE IF NOT EXISTS {db}.trades_by_quote AS {db}.trades
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (quote, block, ordinal)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.trades_by_quote_copy TO {db}.trades_by_quote AS
SELECT * FROM {db}.trades;

CREATE TABLE IF NOT EXISTS {db}.transfers
(
    seq UInt64 CODEC(Delta, ZSTD(1)),
    block UInt64 CODEC(Delta, ZSTD(1)),
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    ordinal UInt32 CODEC(ZSTD(1)),
    tx String CODEC(ZSTD(1)),
    token String CODEC(ZSTD(1)),
    from_wallet String CODEC(ZSTD(1)),
    to_wallet String CODEC(ZSTD(1)),
    amount UInt256 CODEC(ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, block, ordinal)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- Candles of closed buckets in the stored intervals, append-only versions: the newest at or below the reader's seal_seq
-- counts, and one with no trades is a tombstone. `bucket` and `interval` are seconds.
CREATE TABLE IF NOT EXISTS {db}.candles
(
    interval UInt32,
    token String CODEC(ZSTD(1)),
    bucket UInt32 CODEC(Delta, ZSTD(1)),
    seal_seq UInt64 CODEC(Delta, ZSTD(1)),
    open Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    high Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    low Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    close Nullable(Decimal(76, 36)) CODEC(ZSTD(1)),
    volume_usd Decimal(76, 18) CODEC(ZSTD(1)),
    volume_coin Decimal(76, 18) CODEC(ZSTD(1)),
    trades UInt64 CODEC(ZSTD(1)),
    buys UInt64 CODEC(ZSTD(1)),
    sells UInt64 CODEC(ZSTD(1)),
    close_block UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(toDateTime(bucket, 'UTC'))
ORDER BY (interval, token, bucket, seal_seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- Which range of time each seal was about to write; it says whether a later seal may find older versions.
CREATE TABLE IF NOT EXISTS {db}.seals
(
    seal_seq UInt64,
    from_time UInt64,
    to_time UInt64
)
ENGINE = MergeTree
ORDER BY seal_seq
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- One whole row a checkpoint; the newest by (generation, epoch, seq, step) is in force.
CREATE TABLE IF NOT EXISTS {db}.checkpoints
(
    generation UInt64,
    epoch UInt64,
    seq Int64,
    step UInt64,
    fold_version UInt64,
    block Int64,
    hash String,
    parent String,
    time Int64,
    sealed_height Int64,
    finalized_height Int64,
    sealed_block_time Int64,
    seal_seq Int64,
    sealed_time Int64,
    state LowCardinality(String),
    retracted Array(Tuple(UInt64, UInt64)),
    purged_seq Int64
)
ENGINE = MergeTree
ORDER BY (generation, epoch, seq, step)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
