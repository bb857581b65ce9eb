import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { TidepoolError } from '#libs/core/errors.js';

/**
 * One of our programs in a separate process that cannot outlive this one: it ends when its standard input closes, which
 * the kernel does on any death, kill -9 included. It prints lines of JSON until it is ready.
 */
export interface AttachedOptions<Line, Ready> {
  /** The program's file. */
  main: string;
  flags: readonly string[];
  /** How people call it. */
  name: string;
  startTimeoutMs: number;
  /** The content of the line that says that the program is ready; null for any other line. */
  ready(line: Line): Ready | null;
  /** Called when the program ends by itself. */
  onFailure?: ((error: Error) => void) | undefined;
}

export interface AttachedProcess<Ready> {
  readonly ready: Ready;
  readonly pid: number;
  stop(): Promise<void>;
}

const ERROR_TAIL = 2000;

export async function attach<Line, Ready>(options: AttachedOptions<Line, Ready>): Promise<AttachedProcess<Ready>> {
  const { main, flags, name } = options;
  const child = spawn(process.execPath, [main, '--attached', ...flags], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C reaches us, and we stop it in order.
    detached: true,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-ERROR_TAIL);
  });
  // It may end before it has read anything.
  child.stdin.on('error', () => undefined);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`${signal ?? `code ${code}`}: ${output.trim()}`));
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), options.startTimeoutMs);
  let ready: Ready | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    ready = options.ready(JSON.parse(line) as Line);
    if (ready !== null) break;
  }
  clearTimeout(timer);
  if (ready === null) throw new TidepoolError('devnet_start', `${name} did not start: ${await exited}`);
  child.stdout.resume();

  let stopping = false;
  void exited.then((why) => {
    if (!stopping) options.onFailure?.(new TidepoolError('devnet_ended', `${name} ended: ${why}`));
  });
  return {
    ready,
    pid: child.pid as number,
    stop: async () => {
      stopping = true;
      child.stdin.end();
      await exited;
    },
  };
}

/** A call of the chain's JSON-RPC for its owner. */
export async function control<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error) throw new TidepoolError('devnet_control', `${method}: ${answer.error.message}`);
  return answer.result as T;
}
