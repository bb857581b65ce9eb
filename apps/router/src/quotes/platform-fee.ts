const WHOLE_BPS = 10_000n;

/** As the swap program of Solana takes it: of the output of an exact input, of the input of an exact output; rounded down. */
export const platformFee = (amount: bigint, feeBps: number): bigint => (amount * BigInt(feeBps)) / WHOLE_BPS;
