-- Pictures of tokens, written again by this program and named by their content; base64. A row may be twice: all are equal.
CREATE TABLE IF NOT EXISTS {db}.pictures
(
    name String,
    written_at DateTime64(3, 'UTC'),
    content String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY name
SETTINGS index_granularity = 16, non_replicated_deduplication_window = 1000;
