/** What a reader may hold of the tables of its chain where nothing else is configured, in MiB. */
export const HOT_MB = 64;
