/**
 * What the command line and a running instance say to each other over the Unix socket in the data folder: one request a
 * connection, lines of JSON. The answer is any number of progress, line and data messages, then one result or error.
 * Closing the connection cancels the operation.
 */
export interface AdminRequest {
  version: 1;
  operation: string;
  args: Record<string, unknown>;
}

export type AdminMessage =
  | { progress: Progress }
  | { line: string }
  | { result: unknown }
  | { error: { code: string; message: string } };

export interface Progress {
  label: string;
  done: number;
  /** null while it is unknown. */
  total: number | null;
  unit: string;
}

/** How an operation talks to its caller. `line` waits while the reader is slow. */
export interface OperationIo {
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  line(text: string): Promise<void>;
}

/** One operation, the same whether a running instance executes it or the command line does it alone. */
type Operation = (args: Record<string, unknown>, io: OperationIo) => Promise<unknown>;

export type Operations = Record<string, Operation>;
