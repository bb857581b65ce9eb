import { PollPace } from './poll-pace.js';

/** Looks that found nothing, until they are as far apart as they get. */
function rest(pace: PollPace): number[] {
  const pauses: number[] = [];
  while (pauses.at(-1) !== pauses.at(-2) || pauses.length < 2) {
    pace.looked(false, false);
    pauses.push(pace.ms);
  }
  return pauses;
}

describe('pauses between the looks of a reader that waits', () => {
  it('double while nothing comes', () => {
    expect(rest(new PollPace())).toEqual([20, 40, 80, 160, 320, 640, 1_000, 1_000]);
  });

  it('stay long where this process appends, since it says so', () => {
    const pace = new PollPace();
    rest(pace);
    for (let append = 0; append < 3; append++) {
      pace.looked(true, true);
      pace.looked(false, false);
      expect(pace.ms).toBe(1_000);
    }
  });

  it('are short again once another process has appended', () => {
    const pace = new PollPace();
    rest(pace);
    pace.looked(true, false);
    pace.looked(false, false);
    expect(pace.ms).toBe(20);
  });
});
