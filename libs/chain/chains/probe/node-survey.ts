import { estimate } from './estimate.js';
import { largest } from './largest.js';
import { oldestServed } from './oldest.js';
import { patiently, refusedWith } from './patience.js';
import type { ProbeNode } from './probe-node.js';
import { Refusal } from './refusal.js';
import type { Capability, Depth, Limit, MeasuredWay, ProbeProgress } from './report.js';
import { runWay, type Way } from './run-way.js';

export interface SurveyOptions {
  readonly node: ProbeNode;
  readonly seconds: number;
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly progress: ProbeProgress;
}

/** What a question shows of a node: whether it has something, and how that was seen. */
export type Shown = Pick<Capability, 'has' | 'seen'>;

const HEADS = 10;
const LATENCIES = 5;
/** The part of the time after which one search for a limit or a depth is left as it is known by then. */
const FOR_A_SEARCH = 0.08;

/** Collects what one node shows of itself, within a time. The questions are the family's. */
export class NodeSurvey {
  readonly capabilities: Capability[] = [];
  readonly limits: Limit[] = [];
  readonly depths: Depth[] = [];
  readonly ways: MeasuredWay[] = [];
  private readonly started = performance.now();

  constructor(private readonly options: SurveyOptions) {}

  /** The result of one call, asked again where the node only says that it is asked too often. */
  call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const { node, signal } = this.options;
    return patiently(() => node.call<T>(method, params), signal);
  }

  /** Whether something holds: `look` answers how it was seen; a refusal is its own words. */
  async capability(name: string, need: string, look: () => Promise<Shown | string>): Promise<boolean> {
    this.options.progress(name);
    const shown = await this.shown(look);
    this.capabilities.push({ name, need, ...shown });
    return shown.has === true;
  }

  async limit(name: string, most: number, tryOut: (size: number) => Promise<unknown>): Promise<number> {
    const { signal, progress } = this.options;
    progress(name);
    const found = await largest(most, (size) => refusedWith(() => tryOut(size), signal), this.timeOfSearch());
    this.limits.push({ name, ...found });
    return found.size;
  }

  async depth(
    name: string,
    need: string,
    range: { from: number; head: number },
    serves: (height: number) => Promise<unknown>,
  ): Promise<void> {
    const { signal, progress } = this.options;
    progress(name);
    const look = (height: number) => refusedWith(() => serves(height), signal);
    this.depths.push({ name, need, ...(await oldestServed(range.from, range.head, look, this.timeOfSearch())) });
  }

  /** Measures each way for an equal share of the time that is left. */
  async measure(ways: readonly Way[], range: { from: number; head: number }): Promise<void> {
    const { node, seconds, parallel, signal, progress } = this.options;
    for (const [index, way] of ways.entries()) {
      const left = seconds * 1000 - (performance.now() - this.started);
      const ms = Math.max(1_000, left / (ways.length - index));
      progress(`reading by ${way.name} for ${Math.round(ms / 1000)} s`);
      const { name, about } = way;
      try {
        const measured = await runWay(node, way, { ...range, ms, parallel, signal });
        this.ways.push({ name, about, refused: null, ...estimate(measured) });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const nothing = estimate({ stretches: [], elapsedMs: 0, largestQuestion: 0, slowedDown: 0 });
        this.ways.push({ name, about, refused: error.sentence, ...nothing });
      }
    }
  }

  /** The middle time of a small question. */
  async latency(method: string): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < LATENCIES; n++) {
      const { ms } = await patiently(() => this.options.node.ask([{ method, params: [] }]), this.options.signal);
      times.push(ms);
    }
    return times.sort((a, b) => a - b)[LATENCIES >> 1]!;
  }

  /** The distance of the heads that a node names at the same time: above one, several machines answer under one name. */
  async headSpread(read: () => Promise<number>): Promise<number> {
    const heads = await Promise.all(
      Array.from({ length: HEADS }, () => patiently(read, this.options.signal).catch(nothingOf)),
    );
    const named = heads.filter((head) => head !== null);
    return named.length === 0 ? 0 : Math.max(...named) - Math.min(...named);
  }

  /** Whether a search that begins now has time left. */
  private timeOfSearch(): () => boolean {
    const end = performance.now() + this.options.seconds * 1000 * FOR_A_SEARCH;
    return () => performance.now() < end;
  }

  private async shown(look: () => Promise<Shown | string>): Promise<Shown> {
    let shown: Shown = { has: null, seen: 'not answered' };
    const refused = await refusedWith(async () => {
      const seen = await look();
      shown = typeof seen === 'string' ? { has: true, seen } : seen;
    }, this.options.signal);
    return refused === null ? shown : { has: false, seen: refused };
  }
}

/** A head that was refused is no head; what it was refused with is seen elsewhere. */
function nothingOf(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
}
