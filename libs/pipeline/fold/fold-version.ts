/**
 * Version of the fold's meaning. Any change that can alter one byte of the facts folded from the same blocks raises it:
 * facts topics and tables are built per (epoch, fold version).
 */
export const foldVersion = 9;
