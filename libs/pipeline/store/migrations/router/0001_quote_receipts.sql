-- What builds promised and what the swaps gave, from the topic quote-receipts, for dashboards. One row a stated value, may
-- be twice; of one id a row of the highest version counts. Ids as people write them; amounts in base units; differences in
-- basis points, rounded towards zero at two decimals, null until executed.
CREATE TABLE IF NOT EXISTS {db}.quote_receipts
(
    id String,
    version UInt64,
    chain LowCardinality(String),
    state LowCardinality(String),
    final Bool,
    quote_id String,
    wallet String,
    recipient String,
    input_mint String,
    output_mint String,
    in_amount UInt256,
    quoted_out UInt256,
    simulated_out UInt256,
    floor UInt256,
    slippage_bps UInt32,
    venue_id LowCardinality(String),
    dex LowCardinality(String),
    pools Array(String),
    quote_block UInt64,
    quote_block_hash String,
    build_block UInt64,
    build_block_hash String,
    built_at DateTime64(3, 'UTC'),
    deadline DateTime64(3, 'UTC'),
    tx Nullable(String),
    block Nullable(UInt64),
    block_hash Nullable(String),
    block_time Nullable(DateTime64(3, 'UTC')),
    out_amount Nullable(UInt256),
    difference_bps Nullable(Decimal(38, 2)),
    versus_simulation_bps Nullable(Decimal(38, 2)),
    blocks_later Nullable(Int64)
)
ENGINE = MergeTree
ORDER BY (id, version)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- The rows that count.
CREATE VIEW IF NOT EXISTS {db}.newest_quote_receipts AS
SELECT *
FROM {db}.quote_receipts
ORDER BY id, version DESC
LIMIT 1 BY id;
