import type { Steps } from '#libs/core/steps.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/**
 * A seeded scheduler of processes that meet only in ports. Each process is parked at every step boundary; the scheduler
 * decides which one continues, which one dies there (its promise never settles: as with kill -9, no `finally` of it does
 * anything the ports would notice) and which one becomes a zombie that wakes up after its successor started.
 */
export class Scheduler {
  private readonly processes = new Set<Process>();
  private readonly random: SeededRandom;
  readonly trace: string[] = [];

  constructor(readonly seed: number) {
    this.random = new SeededRandom(seed);
  }

  chance(probability: number): boolean {
    return this.random.chance(probability);
  }

  pick(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  spawn(name: string, start: (steps: Steps, signal: AbortSignal, process: Process) => Promise<void>): Process {
    const process = new Process(name, start);
    this.processes.add(process);
    return process;
  }

  kill(process: Process): void {
    this.trace.push(`kill ${process.name} at ${process.at ?? 'waiting'}`);
    process.kill();
    this.processes.delete(process);
  }

  /** Lets one parked process continue. False when none is parked: all wait for input or have ended. */
  async advance(): Promise<boolean> {
    await settle();
    const parked = [...this.processes].filter((process) => process.at !== null);
    if (parked.length === 0) return false;
    const process = parked[this.pick(parked.length)]!;
    this.trace.push(`${process.name}: ${process.at}`);
    process.resume();
    await settle();
    return true;
  }

  /** Runs until nothing is parked any more. */
  async drain(limit = 100_000): Promise<void> {
    for (let i = 0; i < limit; i++) if (!(await this.advance())) return;
    throw new Error(`schedule ${this.seed} does not come to rest:\n${this.trace.slice(-40).join('\n')}`);
  }

  /** Gives a process that is not parked its turns until it ends, or for so many that it would have ended long before. */
  async untilEnded(process: Process, turns = 2_000): Promise<void> {
    for (let n = 0; n < turns && process.ended === 'running'; n++) {
      await settle();
      await this.drain();
    }
  }

  get living(): Process[] {
    return [...this.processes];
  }

  forget(process: Process): void {
    this.processes.delete(process);
  }
}

export class Process {
  ended: 'running' | 'returned' | Error = 'running';
  /** A process with several things under way may be parked at several boundaries; they continue in turn. */
  private parked: { step: string; go: () => void }[] = [];
  private dead = false;
  private readonly abort = new AbortController();

  constructor(
    readonly name: string,
    start: (steps: Steps, signal: AbortSignal, process: Process) => Promise<void>,
  ) {
    start((step) => this.park(step), this.abort.signal, this).then(
      () => {
        this.ended = 'returned';
      },
      (error: unknown) => {
        this.ended = error instanceof Error ? error : new Error(String(error));
      },
    );
  }

  /** The boundary at which it continues next; null while it waits for input. */
  get at(): string | null {
    return this.parked[0]?.step ?? null;
  }

  resume(): void {
    this.parked.shift()?.go();
  }

  /** From now on nothing that this process awaits at a boundary ever comes back. */
  kill(): void {
    this.dead = true;
    this.parked = [];
  }

  /** Ends a process in good order, for the end of a schedule. */
  stop(): void {
    this.abort.abort();
    this.resume();
  }

  /** A port of this process: once it is killed, nothing that it asks there is done or answered any more. */
  port<T extends object>(of: T): T {
    return new Proxy(of, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => (this.dead ? new Promise(() => undefined) : member.apply(target, args));
      },
    });
  }

  private park(step: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.dead) this.parked.push({ step, go: resolve });
    });
  }
}

/** Lets every pending microtask and immediate of in-memory ports run: reads by id wait a turn for others, one after another. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
}
