-- Which generation of a chain's tables is served. Append-only: the row with the highest version is in force.
CREATE TABLE IF NOT EXISTS {db}.pointers
(
    chain String,
    version UInt64,
    generation UInt64,
    epoch UInt64,
    fold_version UInt64,
    seq Int64
)
ENGINE = MergeTree
ORDER BY (chain, version)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;
