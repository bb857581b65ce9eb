/** What a part of the history took that was read. */
export interface Sample {
  /** Heights that were read. */
  heights: number;
  requests: number;
  /** By method: each call of a list counts, as providers count them. */
  calls: Record<string, number>;
  bytes: number;
  /** Events that are of interest. */
  events: number;
  /** Time of all questions, one after the other. */
  serviceMs: number;
}

export const emptySample = (): Sample => ({ heights: 0, requests: 0, calls: {}, bytes: 0, events: 0, serviceMs: 0 });

/** Equal parts of the history, each with a sample from its middle. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly sample: Sample;
}

/** What the whole history takes. */
export interface Estimate {
  readonly heightsRead: number;
  readonly heightsPerQuestion: number;
  readonly requests: number;
  readonly calls: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly events: number;
  readonly seconds: number;
  /** How often the node said that it was asked too often. */
  readonly slowedDown: number;
}

export interface Measured {
  readonly stretches: readonly Stretch[];
  readonly elapsedMs: number;
  readonly largestQuestion: number;
  readonly slowedDown: number;
}

/** The whole from its parts: each stretch takes as much a height as its sample, one without a sample as all samples together. */
export function estimate({ stretches, elapsedMs, largestQuestion, slowedDown }: Measured): Estimate {
  const all = stretches.reduce((sum, { sample }) => addSample(sum, sample, 1), emptySample());
  const whole = emptySample();
  for (const { from, to, sample } of stretches) {
    const source = sample.heights > 0 ? sample : all;
    if (source.heights > 0) addSample(whole, source, (to - from + 1) / source.heights);
  }
  // Questions that were open at the same time took less than the sum of their times.
  const atOnce = elapsedMs > 0 ? Math.max(1, all.serviceMs / elapsedMs) : 1;
  const rounded = Object.entries(whole.calls).map(([method, count]) => [method, Math.round(count)] as const);
  return {
    heightsRead: all.heights,
    heightsPerQuestion: largestQuestion,
    requests: Math.round(whole.requests),
    calls: Object.fromEntries(rounded),
    bytes: Math.round(whole.bytes),
    events: Math.round(whole.events),
    seconds: whole.serviceMs / atOnce / 1000,
    slowedDown,
  };
}

/** Adds a sample some times. */
export function addSample(sum: Sample, sample: Sample, times: number): Sample {
  sum.heights += sample.heights * times;
  sum.requests += sample.requests * times;
  sum.bytes += sample.bytes * times;
  sum.events += sample.events * times;
  sum.serviceMs += sample.serviceMs * times;
  for (const [method, count] of Object.entries(sample.calls)) {
    sum.calls[method] = (sum.calls[method] ?? 0) + count * times;
  }
  return sum;
}
