/** What a simulation found of a token: it keeps a part of what is transferred, no holder can sell it, or none can move it. */
export type TokenFinding = 'taxed' | 'not_sellable' | 'not_transferable';
