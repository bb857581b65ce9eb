import { TidepoolError } from '#libs/core/errors.js';

const MAX_MESSAGE = 1_000;

export type StoreErrorCode =
  | 'store_failed'
  | 'store_in_use'
  | 'store_closed'
  | 'store_aborted'
  | 'store_guard'
  | 'schema_changed'
  | 'schema_too_new';

/**
 * Whatever goes wrong in an analytics store, from either adapter. `engineCode` is ClickHouse's own number (60 unknown
 * table, 159 time limit …) or null when the engine was not reached. Messages are cut and never hold credentials.
 */
export class StoreError extends TidepoolError {
  constructor(
    code: StoreErrorCode,
    message: string,
    readonly engineCode: number | null = null,
  ) {
    super(code, message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.name = 'StoreError';
  }
}

const engineCodes = {
  unknownTable: 60,
  unknownDatabase: 81,
} as const;

/** The table or its database is not there. */
export function isMissingTable(error: unknown): boolean {
  const code = error instanceof StoreError ? error.engineCode : null;
  return code === engineCodes.unknownTable || code === engineCodes.unknownDatabase;
}
