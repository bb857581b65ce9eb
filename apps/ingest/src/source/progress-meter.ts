import type { SourceProgress } from '#libs/chain/chains/source-port.js';

const WINDOW_MS = 15_000;

/** How far a run over history has come; the speed is that of the last seconds. */
export class ProgressMeter {
  private readonly samples: { at: number; height: number }[] = [];

  constructor(
    private readonly from: number,
    private readonly to: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.samples.push({ at: now(), height: from - 1 });
  }

  at(height: number): SourceProgress {
    const at = this.now();
    this.samples.push({ at, height });
    while (this.samples.length > 2 && at - this.samples[0]!.at > WINDOW_MS) this.samples.shift();
    const first = this.samples[0]!;
    const seconds = (at - first.at) / 1000;
    const blocksPerSecond = seconds > 0 ? (height - first.height) / seconds : 0;
    return {
      ...{ from: this.from, to: this.to },
      done: height - this.from + 1,
      total: this.to - this.from + 1,
      blocksPerSecond,
      etaSeconds: blocksPerSecond > 0 ? (this.to - height) / blocksPerSecond : null,
    };
  }
}
