-- What receipts of Solana have in addition to those of EVM chains: an exact output, the platform fee, legs, and what the wallet paid.
-- `floor` is the most input of an exact output; differences are then of the input, negative where more was paid. `pools` has
-- the pools of all legs one after the other, `leg_hops` how many of them each leg has. Hashes of quote and build are empty.

ALTER TABLE {db}.quote_receipts
    ADD COLUMN IF NOT EXISTS exact LowCardinality(String) DEFAULT 'in' AFTER output_mint,
    ADD COLUMN IF NOT EXISTS simulated_in UInt256 DEFAULT in_amount AFTER quoted_out,
    ADD COLUMN IF NOT EXISTS fee_bps UInt32 DEFAULT 0 AFTER slippage_bps,
    ADD COLUMN IF NOT EXISTS leg_shares Array(UInt32) DEFAULT [10000] AFTER pools,
    ADD COLUMN IF NOT EXISTS leg_hops Array(UInt32) DEFAULT [toUInt32(length(pools))] AFTER leg_shares,
    ADD COLUMN IF NOT EXISTS paid_amount Nullable(UInt256) DEFAULT if(state = 'executed', in_amount, NULL) AFTER block_time;

-- A view has the columns that were there when it was made.
DROP VIEW IF EXISTS {db}.newest_quote_receipts;

CREATE VIEW IF NOT EXISTS {db}.newest_quote_receipts AS
SELECT *
FROM {db}.quote_receipts
ORDER BY id, version DESC
LIMIT 1 BY id;
