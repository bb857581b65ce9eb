-- How a block was checked, and the newest block of a checkpoint; empty where its source did not say.

ALTER TABLE {db}.blocks ADD COLUMN IF NOT EXISTS proof LowCardinality(String) DEFAULT '' AFTER parent;

ALTER TABLE {db}.checkpoints ADD COLUMN IF NOT EXISTS proof LowCardinality(String) DEFAULT '' AFTER time;
