import type { Logger } from './logger.js';

export interface ShutdownOptions {
  logger: Logger;
  timeoutMs: number;
  /** Ends the process; replaced in tests. */
  exit?: (code: number) => void;
  now?: () => number;
}

interface Step {
  name: string;
  /** Closes, at the first call; later calls join it. Never rejects. */
  end: () => Promise<void>;
}

/** npm and a terminal both deliver one Ctrl-C: signals this close together count once. */
const ONE_SIGNAL_MS = 500;

/**
 * The orderly end of a process. Steps close in the reverse order of their registration, one after the other; a failing
 * one is logged and the next one runs. After the time limit, or at a second Ctrl-C, the process ends anyway: the data is
 * safe at any instant, and an orderly end only saves the next start some work.
 */
export class Shutdown {
  private readonly steps: Step[] = [];
  private readonly abort = new AbortController();
  private readonly exit: (code: number) => void;
  private readonly now: () => number;
  private signalAt = Number.NEGATIVE_INFINITY;
  /** Names of the steps that are closing. */
  private readonly closing = new Set<string>();
  private failed = false;
  private ending: Promise<void> | null = null;

  constructor(private readonly options: ShutdownOptions) {
    this.exit = options.exit ?? ((code) => process.exit(code));
    this.now = options.now ?? (() => performance.now());
  }

  /** Aborts as soon as the end begins. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Registers a step. What is answered closes it before its turn; it then closes once. */
  add(name: string, close: () => Promise<void> | void): () => Promise<void> {
    let ended: Promise<void> | null = null;
    const end = () => {
      ended ??= this.closeStep(name, close);
      return ended;
    };
    this.steps.push({ name, end });
    return end;
  }

  /** Ends on SIGINT, SIGTERM and SIGHUP, and when the launcher that started this process is gone. */
  install(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.onSignal(signal));
    if (process.channel) {
      process.on('disconnect', () => void this.run('the launcher is gone', 0));
      process.channel.unref();
    }
  }

  onSignal(signal: string): void {
    const at = this.now();
    const repeated = at - this.signalAt < ONE_SIGNAL_MS;
    this.signalAt = at;
    if (this.ending === null) void this.run(signal, 0);
    else if (!repeated) {
      this.options.logger.warn({ signal }, 'second signal: ending at once');
      this.exit(130);
    }
  }

  /** Closes everything and ends the process with the code. Repeated calls join the first. */
  run(reason: string, exitCode: number): Promise<void> {
    this.ending ??= this.close(reason, exitCode);
    return this.ending;
  }

  private async close(reason: string, exitCode: number): Promise<void> {
    this.options.logger.info({ reason }, 'stopping');
    this.abort.abort();
    const timer = setTimeout(() => {
      this.options.logger.error(
        { step: [...this.closing].join(', '), afterMs: this.options.timeoutMs },
        'stopping takes too long: ending now',
      );
      this.exit(1);
    }, this.options.timeoutMs);
    for (const step of this.steps.reverse()) await step.end();
    clearTimeout(timer);
    this.options.logger.info({ reason }, 'stopped');
    this.exit(this.failed && exitCode === 0 ? 1 : exitCode);
  }

  private async closeStep(name: string, close: () => Promise<void> | void): Promise<void> {
    this.closing.add(name);
    try {
      await close();
    } catch (error) {
      this.failed = true;
      this.options.logger.error({ step: name, err: error }, 'a step of the shutdown failed');
    } finally {
      this.closing.delete(name);
    }
  }
}
