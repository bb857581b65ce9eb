/**
 * An error as a log line has it: its kind, its words, its code, where it was made, and what caused it. Invariant: no stack and no
 * path of the machine, only the file of the program and its line.
 */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  /** `libs/…/file.js:12`. */
  readonly at?: string;
  readonly cause?: LoggedError;
}

const MOST_CAUSES = 5;

export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code } = error as { code?: unknown };
  const at = placeOf(error.stack);
  return {
    type: error.name,
    message: error.message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(at !== null && { at }),
    ...(error.cause !== undefined && depth < MOST_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
  };
}

/** The first place of the stack that is in the program itself. */
function placeOf(stack: string | undefined): string | null {
  const found = /\/((?:apps|libs|console)\/[^\s():]+:\d+)/.exec(stack ?? '');
  return found === null ? null : found[1]!;
}
