/**
 * What a thread next to the main one may use for new objects: a semi-space of 16 MiB, V8's own default. The main thread's larger one
 * (`--max-semi-space-size`) is for it alone; without a limit of their own three threads a chain would have it too.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 48 };
