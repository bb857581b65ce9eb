import { BuildProgress } from './build-progress.js';

describe('the progress of a build', () => {
  let now: number;
  let progress: BuildProgress;
  beforeEach(() => {
    now = 0;
    progress = new BuildProgress(() => now);
  });

  /** One look a second at a build of so many groups; the lines that were due. */
  function watch(groups: number, perSecond: number): string[] {
    const lines: string[] = [];
    for (let done = 0; done <= groups; done += perSecond, now += 1_000) {
      progress.note(done, groups, done >= groups);
      if (progress.isDue) lines.push(progress.sentence);
    }
    return lines;
  }

  it('writes a few lines about a build of minutes and about one of a day', () => {
    expect(watch(300, 1)).toEqual(expect.arrayContaining(['50 %, about 2 min 30 s left']));
    progress = new BuildProgress(() => now);
    const lines = watch(86_400, 1);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThan(250);
  });

  it('says nothing of the time left before anything moved, and follows the last seconds', () => {
    progress.note(0, 1_000);
    expect([progress.percent, progress.etaSeconds, progress.sentence]).toEqual([0, null, '0 %']);
    for (let i = 1; i <= 60; i++) {
      now = i * 1_000;
      progress.note(i <= 30 ? i : 30 + (i - 30) * 10, 1_000);
    }
    expect(progress.percent).toBe(33);
    expect(progress.etaSeconds).toBe(67);
  });

  it('measures the way to the head, not the wait at it', () => {
    watch(100, 10);
    expect(progress.rate).toEqual({ perSecond: 10, done: 100, seconds: 10 });
    now += 3_600_000;
    progress.note(110, 110, true);
    expect(progress.rate?.perSecond).toBe(10);
  });

  it('takes no measure from a build of a moment', () => {
    watch(30, 10);
    expect(progress.rate).toBeNull();
  });
});
