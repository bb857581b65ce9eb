import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import { AnvilRpc } from './anvil-rpc.js';

/**
 * One anvil that cannot outlive this process: a shell in between ends anvil when its standard input closes, which the
 * kernel does for us on any death, kill -9 included. Both run in a session of their own, so that Ctrl-C reaches only us
 * and we can stop in order.
 */
export interface AnvilOptions {
  port: number;
  args: readonly string[];
  /** Milliseconds until anvil must answer. */
  startTimeoutMs?: number;
}

export interface AnvilProcess {
  readonly port: number;
  readonly rpc: AnvilRpc;
  /** Process id of anvil itself. */
  readonly pid: number;
  /** Resolves with a description once anvil is gone, for whatever reason. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

// The first line is anvil's pid. The shell prints nothing after it, because output to a parent that is gone would end
// the shell before its watcher. The watcher's `read` ends when the parent's end of the pipe is closed. Without a backtrace a
// panic is its message and its place, which the kept end of the output has room for. Its allocator (jemalloc) keeps one pool for all
// threads and gives back what is free: a tenth less memory.
const SUPERVISOR = `
exec 3<&0
RUST_BACKTRACE=0 NO_COLOR=1 _RJEM_MALLOC_CONF=narenas:1,dirty_decay_ms:500,muzzy_decay_ms:0 "$@" 3<&- </dev/null >&2 &
anvil=$!
echo "$anvil"
exec >/dev/null 2>&1
(
  while read -r _ <&3; do :; done
  kill -TERM "$anvil"
  waited=0
  while [ "$waited" -lt 40 ] && kill -0 "$anvil"; do sleep 0.5; waited=$((waited + 1)); done
  kill -KILL "$anvil"
) &
watcher=$!
trap 'kill -TERM "$anvil"' TERM INT HUP
wait "$anvil"
code=$?
while kill -0 "$anvil"; do wait "$anvil"; code=$?; done
kill "$watcher"
exit "$code"
`;

const ERROR_TAIL_CHARACTERS = 2000;

/** The binary inside the platform's package; nothing is downloaded. */
function findAnvil(): string {
  const require = createRequire(import.meta.url);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const platform = process.platform === 'win32' ? 'win32' : process.platform;
  const name = `@foundry-rs/anvil-${platform}-${architecture}`;
  const tried: string[] = [];
  for (const from of [require, createRequire(require.resolve('@foundry-rs/anvil/package.json'))]) {
    try {
      const folder = dirname(from.resolve(`${name}/package.json`));
      const binary = join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
      if (existsSync(binary)) return binary;
      tried.push(binary);
    } catch (error) {
      tried.push((error as Error).message.split('\n')[0] as string);
    }
  }
  throw new TidepoolError(
    'anvil_missing',
    `no anvil for ${process.platform}-${process.arch}: install ${name} (${tried.join('; ')})`,
  );
}

/** A free port for 0; otherwise checks that the port can be bound. */
async function reservePort(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        reject(new TidepoolError('port_in_use', `port ${port} of the local chain is in use by another program`));
      } else {
        reject(error);
      }
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}

export async function startAnvil(options: AnvilOptions): Promise<AnvilProcess> {
  const port = await reservePort(options.port);
  const child = spawn(
    'sh',
    ['-c', SUPERVISOR, 'anvil-supervisor', findAnvil(), '--host', '127.0.0.1', '--port', String(port), ...options.args],
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  const output = watch(child);
  const rpc = new AnvilRpc(`http://127.0.0.1:${port}`);
  try {
    await untilReady(rpc, output, options.startTimeoutMs ?? 120_000);
  } catch (error) {
    child.stdin?.end();
    await output.exited;
    await rpc.close();
    throw error;
  }
  return {
    port,
    rpc,
    pid: await output.pid,
    exited: output.exited,
    async stop() {
      child.stdin?.end();
      await output.exited;
      await rpc.close();
    },
  };
}

interface Watched {
  pid: Promise<number>;
  exited: Promise<string>;
  gone: () => string | null;
}

function watch(child: ChildProcess): Watched {
  let tail = '';
  let gone: string | null = null;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-ERROR_TAIL_CHARACTERS);
  });
  // A broken pipe means that the shell is gone, which `exit` reports.
  child.stdin?.on('error', () => undefined);
  const pid = new Promise<number>((resolve) => {
    child.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(Number.parseInt(text, 10)));
  });
  const exited = new Promise<string>((resolve) => {
    const end = (what: string) => {
      gone ??= `${what}${tail.trim() === '' ? '' : `: ${tail.trim()}`}`;
      resolve(gone);
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(`anvil ended (${signal ?? code})`));
  });
  return { pid, exited, gone: () => gone };
}

async function untilReady(rpc: AnvilRpc, output: Watched, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const gone = output.gone();
    if (gone !== null) throw new TidepoolError('anvil_failed', gone);
    try {
      await rpc.call('eth_chainId');
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw new TidepoolError('anvil_failed', `anvil does not answer after ${timeoutMs} ms`, { cause: error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
