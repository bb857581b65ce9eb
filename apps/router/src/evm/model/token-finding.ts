/** What a simulation found of a token: it keeps a part of what is transferred, or no holder can move it. */
export type TokenFinding = 'taxed' | 'not_transferable';
