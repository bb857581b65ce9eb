import { setTimeout as delay } from 'node:timers/promises';
import { addSample, emptySample, type Measured, type Sample, type Stretch } from './estimate.js';
import type { ProbeCall, ProbeNode } from './probe-node.js';
import { Refusal } from './refusal.js';

/** Sends one request with these calls; the results in their order. A Refusal where one of them is refused. */
export type Ask = (calls: readonly ProbeCall[]) => Promise<unknown[]>;

/** One way of reading a history. */
export interface Way {
  readonly name: string;
  readonly about: string;
  /** The most heights that are read as one part. */
  readonly mostHeights: number;
  /** Reads a part of the history; how many events of interest it has. A Refusal where answers cannot be what was asked for. */
  read(from: number, to: number, ask: Ask): Promise<number>;
}

export interface RunOptions {
  readonly from: number;
  readonly head: number;
  readonly ms: number;
  readonly parallel: number;
  readonly signal: AbortSignal;
}

/** Parts of the history that are sampled. */
const STRETCHES = 8;
/** A sample begins this far before the middle of its stretch. */
const BEFORE_MIDDLE = 2_048;
/** Parts grow while they take less than this, and shrink above the other. */
const QUICK_MS = 800;
const SLOW_MS = 4_000;
const MOST_EVENTS = 4_000;
/** A node that asks to be asked less often is given these pauses, and this many tries of one request. */
const LEAST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 8_000;
const MOST_TRIES = 8;

/**
 * Reads parts of the history in one way, as an indexer does: several at once, larger ones while the node is quick, smaller ones when it
 * refuses, slower when it asks for that. Samples are spread over the whole history, since the density of a chain changes over its
 * life. Ends when the time is over or everything was read once. A Refusal where the node does not take even single heights.
 */
export function runWay(node: Pick<ProbeNode, 'ask'>, way: Way, options: RunOptions): Promise<Measured> {
  return new WayRun(node, way, options).measure();
}

class WayRun {
  private readonly stretches: Stretch[];
  private readonly cursors: number[];
  private size = 1;
  private ceiling: number;
  private largest = 0;
  private turn = 0;
  private slowedDown = 0;
  private pauseMs = 0;
  private failed: Error | null = null;

  constructor(
    private readonly node: Pick<ProbeNode, 'ask'>,
    private readonly way: Way,
    private readonly options: RunOptions,
  ) {
    this.ceiling = way.mostHeights;
    this.stretches = stretchesOf(options.from, options.head);
    this.cursors = this.stretches.map(({ from, to }) =>
      Math.max(from, from + Math.floor((to - from + 1) / 2) - BEFORE_MIDDLE),
    );
  }

  async measure(): Promise<Measured> {
    const started = performance.now();
    const { ms, parallel } = this.options;
    const work = async (): Promise<void> => {
      while (this.failed === null && performance.now() - started < ms) {
        const part = this.nextPart();
        if (part === null) return;
        await this.read(part.sample, part.from, part.to, started + ms);
      }
    };
    // The first part alone: what the node does not do at all it is asked for once.
    const first = this.nextPart();
    if (first !== null) await this.read(first.sample, first.from, first.to, Number.POSITIVE_INFINITY);
    if (this.failed === null) await Promise.all(Array.from({ length: parallel }, work));
    if (this.failed !== null) throw this.failed;
    const { stretches, largest: largestQuestion, slowedDown } = this;
    return { stretches, elapsedMs: performance.now() - started, largestQuestion, slowedDown };
  }

  private nextPart(): { sample: Sample; from: number; to: number } | null {
    for (let n = 0; n < this.stretches.length; n++) {
      const index = this.turn++ % this.stretches.length;
      const { sample, to: end } = this.stretches[index]!;
      const from = this.cursors[index]!;
      if (from > end) continue;
      const to = Math.min(end, from + this.size - 1);
      this.cursors[index] = to + 1;
      return { sample, from, to };
    }
    return null;
  }

  /** Reads a part, in halves where the node refuses it; a single height that is refused, once again. */
  private async read(sample: Sample, from: number, to: number, until: number, again = false): Promise<void> {
    try {
      await this.readOnce(sample, from, to);
    } catch (error) {
      if (!(error instanceof Refusal) || (from === to && again)) {
        this.failed ??= error as Error;
        return;
      }
      if (from === to) return this.read(sample, from, to, until, true);
      const middle = Math.floor((from + to) / 2);
      this.ceiling = Math.max(1, Math.min(this.ceiling, middle - from + 1));
      this.size = Math.min(this.size, this.ceiling);
      for (const [start, end] of [[from, middle] as const, [middle + 1, to] as const]) {
        if (this.failed === null && performance.now() < until) await this.read(sample, start, end, until);
      }
    }
  }

  private async readOnce(sample: Sample, from: number, to: number): Promise<void> {
    const read = emptySample();
    read.events = await this.way.read(from, to, (calls) => this.ask(read, calls));
    read.heights = to - from + 1;
    addSample(sample, read, 1);
    this.largest = Math.max(this.largest, read.heights);
    if (read.serviceMs > SLOW_MS || read.events > MOST_EVENTS) this.size = Math.max(1, Math.floor(read.heights / 2));
    else if (read.heights >= this.size && read.serviceMs < QUICK_MS && read.events < MOST_EVENTS / 2) {
      this.size = Math.min(this.ceiling, this.size * 2);
    }
  }

  private async ask(read: Sample, calls: readonly ProbeCall[]): Promise<unknown[]> {
    const started = performance.now();
    for (let tries = 1; ; tries++) {
      if (this.pauseMs > 0) await delay(this.pauseMs, undefined, { signal: this.options.signal });
      try {
        const { answers, bytes } = await this.node.ask(calls);
        const results = answers.map((answer) => {
          if (answer.refusal !== undefined) throw answer.refusal;
          return answer.result;
        });
        this.pauseMs = this.pauseMs < 50 ? 0 : this.pauseMs * 0.8;
        read.requests++;
        read.bytes += bytes;
        read.serviceMs += performance.now() - started;
        for (const { method } of calls) read.calls[method] = (read.calls[method] ?? 0) + 1;
        return results;
      } catch (error) {
        if (!(error instanceof Refusal) || !error.tooOften || tries === MOST_TRIES) throw error;
        this.slowedDown++;
        this.pauseMs = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, error.retryAfterMs ?? this.pauseMs * 2));
      }
    }
  }
}

function stretchesOf(from: number, head: number): Stretch[] {
  const heights = head - from + 1;
  const count = Math.min(STRETCHES, heights);
  return Array.from({ length: count }, (_, n) => ({
    from: from + Math.floor((heights * n) / count),
    to: from + Math.floor((heights * (n + 1)) / count) - 1,
    sample: emptySample(),
  }));
}
