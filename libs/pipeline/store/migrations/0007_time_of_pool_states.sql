-- Where the states of some blocks are, in a table that is ordered by pool: a sink that starts again counts those of its last
-- batch.

ALTER TABLE {db}.pool_states ADD INDEX IF NOT EXISTS time_range time TYPE minmax GRANULARITY 1;

ALTER TABLE {db}.pool_states MATERIALIZE INDEX time_range;
