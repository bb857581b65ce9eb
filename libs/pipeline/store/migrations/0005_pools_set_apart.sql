-- Why a pool whose numbers cannot be is set apart; empty where it is not.

ALTER TABLE {db}.pool_states ADD COLUMN IF NOT EXISTS set_apart LowCardinality(String) DEFAULT '' AFTER anchored;
