/** What happened in a run: a run in which something never happens shows nothing about it. */
export type Happened = Record<string, number>;
