import { TidepoolError } from '#libs/core/errors.js';

/**
 * Exit codes are permanent: scripts and service managers may rely on them (docs/operations.md lists them).
 * 0 orderly end · 1 anything unforeseen · 2 wrong configuration or arguments · 3 data folder refused or in use ·
 * 4 a listener cannot be opened · 130 second Ctrl-C.
 */
export const EXIT = { ok: 0, failure: 1, usage: 2, dataFolder: 3, listener: 4, forced: 130 } as const;

const BY_CODE: Record<string, number> = {
  config: EXIT.usage,
  usage: EXIT.usage,
  data_folder: EXIT.dataFolder,
  data_folder_in_use: EXIT.dataFolder,
  port_in_use: EXIT.listener,
  port_refused: EXIT.listener,
  address_unavailable: EXIT.listener,
};

export function exitCodeOf(error: unknown): number {
  return (error instanceof TidepoolError && BY_CODE[error.code]) || EXIT.failure;
}
