-- Bonding curves of launchpads are pools too.

ALTER TABLE {db}.pools MODIFY COLUMN kind Enum8('constant-product' = 1, 'concentrated' = 2, 'curve' = 3);

ALTER TABLE {db}.pools_by_token MODIFY COLUMN kind Enum8('constant-product' = 1, 'concentrated' = 2, 'curve' = 3);
