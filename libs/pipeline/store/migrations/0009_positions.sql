-- What wallets did with tokens, and what they realised by the hour: the newest row of each key holds.

CREATE TABLE IF NOT EXISTS {db}.positions
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    amount UInt256 CODEC(ZSTD(1)),
    priced UInt256 CODEC(ZSTD(1)),
    cost_usd Decimal(76, 18) CODEC(ZSTD(1)),
    bought_units UInt256 CODEC(ZSTD(1)),
    bought_valued UInt256 CODEC(ZSTD(1)),
    bought_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_units UInt256 CODEC(ZSTD(1)),
    sold_valued UInt256 CODEC(ZSTD(1)),
    sold_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_unpriced UInt256 CODEC(ZSTD(1)),
    gain_usd Decimal(76, 18) CODEC(ZSTD(1)),
    loss_usd Decimal(76, 18) CODEC(ZSTD(1)),
    buys UInt64 CODEC(ZSTD(1)),
    sells UInt64 CODEC(ZSTD(1)),
    closes UInt64 CODEC(ZSTD(1)),
    wins UInt64 CODEC(ZSTD(1)),
    first_trade_at UInt64 CODEC(ZSTD(1)),
    last_trade_at UInt64 CODEC(ZSTD(1)),
    held_ms UInt64 CODEC(ZSTD(1)),
    held_since UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (token, wallet, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.positions_by_wallet
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    token String CODEC(ZSTD(1)),
    wallet String CODEC(ZSTD(1)),
    amount UInt256 CODEC(ZSTD(1)),
    priced UInt256 CODEC(ZSTD(1)),
    cost_usd Decimal(76, 18) CODEC(ZSTD(1)),
    bought_units UInt256 CODEC(ZSTD(1)),
    bought_valued UInt256 CODEC(ZSTD(1)),
    bought_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_units UInt256 CODEC(ZSTD(1)),
    sold_valued UInt256 CODEC(ZSTD(1)),
    sold_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_unpriced UInt256 CODEC(ZSTD(1)),
    gain_usd Decimal(76, 18) CODEC(ZSTD(1)),
    loss_usd Decimal(76, 18) CODEC(ZSTD(1)),
    buys UInt64 CODEC(ZSTD(1)),
    sells UInt64 CODEC(ZSTD(1)),
    closes UInt64 CODEC(ZSTD(1)),
    wins UInt64 CODEC(ZSTD(1)),
    first_trade_at UInt64 CODEC(ZSTD(1)),
    last_trade_at UInt64 CODEC(ZSTD(1)),
    held_ms UInt64 CODEC(ZSTD(1)),
    held_since UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (wallet, token, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.positions_by_wallet_copy TO {db}.positions_by_wallet AS
SELECT * FROM {db}.positions;

CREATE TABLE IF NOT EXISTS {db}.wallet_profits
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    wallet String CODEC(ZSTD(1)),
    hour UInt32 CODEC(ZSTD(1)),
    gain_usd Decimal(76, 18) CODEC(ZSTD(1)),
    loss_usd Decimal(76, 18) CODEC(ZSTD(1)),
    bought_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_usd Decimal(76, 18) CODEC(ZSTD(1)),
    unpriced_usd Decimal(76, 18) CODEC(ZSTD(1)),
    buys UInt64 CODEC(ZSTD(1)),
    sells UInt64 CODEC(ZSTD(1)),
    closes UInt64 CODEC(ZSTD(1)),
    wins UInt64 CODEC(ZSTD(1)),
    first_trade_at UInt64 CODEC(ZSTD(1)),
    last_trade_at UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (wallet, hour, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE TABLE IF NOT EXISTS {db}.wallet_profits_by_hour
(
    seq UInt64 CODEC(Delta, LZ4),
    block UInt64 CODEC(Delta, LZ4),
    time DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    wallet String CODEC(ZSTD(1)),
    hour UInt32 CODEC(ZSTD(1)),
    gain_usd Decimal(76, 18) CODEC(ZSTD(1)),
    loss_usd Decimal(76, 18) CODEC(ZSTD(1)),
    bought_usd Decimal(76, 18) CODEC(ZSTD(1)),
    sold_usd Decimal(76, 18) CODEC(ZSTD(1)),
    unpriced_usd Decimal(76, 18) CODEC(ZSTD(1)),
    buys UInt64 CODEC(ZSTD(1)),
    sells UInt64 CODEC(ZSTD(1)),
    closes UInt64 CODEC(ZSTD(1)),
    wins UInt64 CODEC(ZSTD(1)),
    first_trade_at UInt64 CODEC(ZSTD(1)),
    last_trade_at UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (hour, wallet, seq)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS {db}.wallet_profits_by_hour_copy TO {db}.wallet_profits_by_hour AS
SELECT * FROM {db}.wallet_profits;
