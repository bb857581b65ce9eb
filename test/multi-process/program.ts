import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning } from '#libs/devkit/devnet/evm/test/is-running.js';
import { untilAnswer } from '#libs/devkit/testing/until.js';

/**
 * A built program as people run it: a process (group) of its own with a clean configuration, looked at from outside
 * through its log lines, its listeners and its exit code. It never outlives the spec that started it.
 */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Patience for one thing to happen; the machine may be busy. */
export const PATIENCE_MS = 300_000;

export interface LogLine extends Record<string, unknown> {
  msg: string;
  level: string;
}

export interface ProgramOptions {
  args: readonly string[];
  env: Record<string, string>;
  /** An empty folder, so that no .env file is found. */
  cwd: string;
}

const running = new Set<Program>();

export class Program {
  readonly lines: LogLine[] = [];
  stdout = '';
  /** The newest part of all it wrote, for messages of failed tests. */
  private output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | NodeJS.Signals>;

  constructor(options: ProgramOptions) {
    this.child = spawn(process.execPath, options.args, {
      cwd: options.cwd,
      // Specs ask as fast as they can, all with the demo key.
      env: { ...cleanEnvironment(), TIDEPOOL_LOG_FORMAT: 'json', TIDEPOOL_DEMO_RATE: '0', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that Ctrl-C can reach all of it, as a terminal's does.
      detached: true,
    });
    running.add(this);
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.keep(text);
    });
    createInterface({ input: this.child.stderr! }).on('line', (line) => {
      this.keep(`${line}\n`);
      if (line.startsWith('{')) this.lines.push(JSON.parse(line) as LogLine);
    });
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this);
      return (signal ?? code) as number | NodeJS.Signals;
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get words(): string {
    return this.output;
  }

  /** The first log line with this message. */
  logged(message: string): Promise<LogLine> {
    return this.until(`the log line "${message}"`, async () => this.lines.find(({ msg }) => msg === message));
  }

  /** Asks again until there is an answer; fails when the program ends or patience does. */
  async until<T>(what: string, ask: () => Promise<T | undefined | false | null>): Promise<T> {
    let last: unknown = 'no answer';
    const look = async () => {
      if (!this.alive)
        throw new Error(`${what}: the program ended
${this.output}`);
      try {
        return await ask();
      } catch (error) {
        last = error;
        return null;
      }
    };
    return untilAnswer(what, look, {
      ...{ everyMs: 100, patienceMs: PATIENCE_MS },
      howFar: () => `${last}
${this.output}`,
    }) as Promise<T>;
  }

  /** How it ended; waits for it. */
  async ended(): Promise<number | NodeJS.Signals> {
    const patience = new AbortController();
    const late = sleep(PATIENCE_MS, null, { signal: patience.signal }).catch(() => null);
    const result = await Promise.race([this.exited, late]);
    patience.abort();
    if (result === null) throw new Error(`it does not end\n${this.output}`);
    return result;
  }

  /** The signal to the whole group, as a terminal sends Ctrl-C. */
  interrupt(): Promise<number | NodeJS.Signals> {
    if (this.alive) process.kill(-this.pid, 'SIGINT');
    return this.ended();
  }

  /** SIGKILL to this one process. */
  kill9(): Promise<number | NodeJS.Signals> {
    if (this.alive) this.child.kill('SIGKILL');
    return this.ended();
  }

  private keep(text: string): void {
    this.output = (this.output + text).slice(-6_000);
  }
}

/** Ends what a failed test left running. */
export async function endPrograms(): Promise<void> {
  for (const program of running) await program.kill9();
}

/** Without the environment variables of the user who runs the tests. */
function cleanEnvironment(): Record<string, string | undefined> {
  const own = (name: string): boolean =>
    name.startsWith('TIDEPOOL_') || name.startsWith('npm_') || name === 'CLICKHOUSE_URL' || name === 'NODE_OPTIONS';
  const kept = Object.entries(process.env).filter(([name]) => !own(name));
  return { ...Object.fromEntries(kept), UV_THREADPOOL_SIZE: '16' };
}

/** Brings dist up to date; the programs under test are the built ones. */
export function buildPrograms(): void {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: PROJECT, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build fails: ${built.stdout}${built.stderr}`);
}

/** Processes that name a folder in their command line. */
export function processesOn(folder: string): string[] {
  if (!existsSync('/proc')) {
    const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.includes(folder));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(folder) ? [`${pid} ${command}`] : [];
      } catch {
        return []; // it ended meanwhile
      }
    });
}

export { isRunning };
