const WHOLE_BPS = 10_000n;

/**
 * The fee as the swap program of Solana takes it, rounded down: out of the output of an exact input, or on top of the
 * input of an exact output.
 */
export const platformFee = (amount: bigint, feeBps: number): bigint => (amount * BigInt(feeBps)) / WHOLE_BPS;
