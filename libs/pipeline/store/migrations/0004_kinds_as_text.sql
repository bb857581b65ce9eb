-- A kind of pools is a word: a new one needs no change of a table.

ALTER TABLE {db}.pools MODIFY COLUMN kind LowCardinality(String);

ALTER TABLE {db}.pools_by_token MODIFY COLUMN kind LowCardinality(String);
