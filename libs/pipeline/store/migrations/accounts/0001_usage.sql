-- What accounts did and spent, from the topic usage. One row a count that a process stated; of one process and day the rows
-- of the highest version count, so that stating or inserting them again changes nothing.
CREATE TABLE IF NOT EXISTS {db}.usage_counts
(
    account String,
    day Date32,
    key String,
    route LowCardinality(String),
    instance String,
    version UInt64,
    requests UInt64,
    credits UInt64,
    refused UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (account, day, key, route, instance)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000;

-- Usage per account, key, route and day.
CREATE VIEW IF NOT EXISTS {db}.usage AS
SELECT account, key, route, day, sum(requests) AS requests, sum(credits) AS credits, sum(refused) AS refused
FROM {db}.usage_counts FINAL
WHERE (account, instance, day, version) IN
(
    SELECT account, instance, day, max(version) FROM {db}.usage_counts GROUP BY account, instance, day
)
GROUP BY account, key, route, day;
