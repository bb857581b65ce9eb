import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { CrashPoint, StageOrder } from './stage-child.js';

/** Kill points of the three stages, seeded, and the processes that are killed at them. */
export type StageName = StageOrder['stage'];

const stateSteps = ['commit', 'rewind'].flatMap((work) => [`state.before-${work}`, `state.after-${work}`]);
const insertTables = ['blocks', 'pool_states', 'prices', 'reference_prices', 'trades', 'transfers'];

/** Boundaries that a process passes once, and those that it passes again with every batch. */
const boundaries: Record<StageName, { once: string[]; often: string[]; seldom: string[] }> = {
  source: {
    once: ['source.before-fence', 'source.after-fence'],
    often: ['source.before-append', 'source.after-append'],
    seldom: [],
  },
  project: {
    once: ['project.before-fence', 'project.after-fence'],
    often: ['project.before-append', 'project.after-append'],
    seldom: ['project.before-refold', ...stateSteps],
  },
  sink: {
    once: ['sink.before-fence', 'sink.after-fence'],
    often: [
      'sink.before-intent',
      'sink.after-intent',
      'sink.before-checkpoint',
      'sink.after-checkpoint',
      ...insertTables.map((table) => `sink.before-insert.${table}`),
    ],
    seldom: [
      'sink.before-insert.tokens',
      'sink.before-insert.pools',
      'sink.before-insert.retractions',
      'sink.before-seal',
      'sink.after-seal',
      'sink.before-purging',
      'sink.before-purge',
      'sink.after-purge',
    ],
  },
};

export interface Kill extends CrashPoint {
  /** Of a kill that comes 'soon': how long after. */
  afterMs: number;
}

/** Half the kills at named boundaries, every one of them in turn; the other half at random times after one. */
export function killPlan(random: SeededRandom, stage: StageName, count: number): Kill[] {
  const { once: first, often, seldom } = boundaries[stage];
  const named = shuffled(random, [...first, ...often, ...seldom]);
  return Array.from({ length: count }, (_, i): Kill => {
    const soon = i % 2 === 1;
    const step = soon ? random.pick([...first, ...often, ...often]) : named[(i / 2) % named.length]!;
    const passes = often.includes(step) ? random.int(5) : 0;
    return { step, passes, how: soon ? 'soon' : 'here', afterMs: soon ? random.int(random.pick([4, 20, 80])) : 0 };
  });
}

export const showKill = ({ step, passes, how, afterMs }: Kill): string =>
  how === 'soon' ? `${afterMs} ms after ${step} (pass ${passes + 1})` : `${how} at ${step} (pass ${passes + 1})`;

function shuffled<T>(random: SeededRandom, items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}

export type Ending = 'killed' | 'done';

/** A stage in a process of its own. */
export class StageProcess {
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];
  private readonly closed: Promise<unknown>;
  private errors = '';
  private wake: () => void = () => undefined;
  private ended = false;

  constructor(order: StageOrder) {
    const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const args = ['--import', path('../../libs/pipeline/store/test/run-typescript.mjs'), path('./stage-child.ts')];
    this.child = spawn(process.execPath, [...args, JSON.stringify(order)], {
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin!.on('error', () => undefined); // it may be gone when it is asked to stop
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.errors += chunk;
    });
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.wake();
    });
    this.closed = once(this.child, 'close').then(() => {
      this.ended = true;
      this.wake();
    });
  }

  /** True from the start of the stage to the end of the process. */
  get running(): boolean {
    return !this.ended && this.lines.includes('started');
  }

  /** Throws when the process is not there any more. */
  check(): void {
    if (this.ended) throw this.unexpected('ended early');
  }

  /** Lets the process run into its crash point. 'done' when the end of its input came first; it still runs then. */
  async meet(kill: Kill): Promise<Ending> {
    const line = await this.line((text) => text === 'done' || text.startsWith('at '));
    if (line === 'done') return 'done';
    if (kill.how === 'soon') {
      await delay(kill.afterMs);
      this.child.kill('SIGKILL');
    }
    await this.closed;
    if (this.child.signalCode !== 'SIGKILL') throw this.unexpected('ended by itself');
    return 'killed';
  }

  async done(): Promise<void> {
    await this.line((text) => text === 'done');
  }

  /** Ends it in good order. */
  async stop(): Promise<void> {
    this.child.stdin!.end();
    await this.closed;
    if (this.child.exitCode !== 0) throw this.unexpected('did not stop in good order');
  }

  /** For clean-up, whatever state it is in. */
  async end(): Promise<void> {
    if (!this.ended) this.child.kill('SIGKILL');
    await this.closed;
  }

  private async line(wanted: (text: string) => boolean): Promise<string> {
    for (;;) {
      const failure = this.lines.find((text) => text.startsWith('failed '));
      if (failure !== undefined) throw this.unexpected(failure);
      const found = this.lines.find(wanted);
      if (found !== undefined) return found;
      if (this.ended) throw this.unexpected('ended early');
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private unexpected(what: string): Error {
    const { exitCode, signalCode } = this.child;
    return new Error(`the stage ${what} (exit ${exitCode ?? signalCode})\n${this.errors.slice(-3000)}`);
  }
}
