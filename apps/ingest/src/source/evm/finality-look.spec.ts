import { FinalityLook } from './finality-look.js';

describe('FinalityLook', () => {
  it('asks after a quarter of the blocks by which finality moved last', () => {
    const look = new FinalityLook(1, Number.POSITIVE_INFINITY);
    expect(look.isDue(0, 100)).toBe(true);
    look.answered(0, 100, 100, 36);
    expect([look.isDue(0, 100), look.isDue(0, 101)]).toEqual([false, true]);
    look.answered(0, 101, 101, 68);
    expect([look.isDue(0, 108), look.isDue(0, 109)]).toEqual([false, true]);
    look.answered(0, 109, 109, 68);
    expect([look.isDue(0, 116), look.isDue(0, 117)]).toEqual([false, true]);
    expect(look.height).toBe(68);
  });

  it('asks no sooner than a seal may follow, and another node or after a while at once', () => {
    const look = new FinalityLook(7, Number.POSITIVE_INFINITY);
    look.answered(0, 100, 100, 98);
    expect([look.isDue(0, 106), look.isDue(0, 107), look.isDue(1, 100)]).toEqual([false, true, true]);
    const impatient = new FinalityLook(7, 0);
    impatient.answered(0, 100, 100, 98);
    expect(impatient.isDue(0, 100)).toBe(true);
  });

  it('keeps the last answer, up to the head that came with it', () => {
    const look = new FinalityLook(1, 0);
    look.answered(0, 100, 101, 5_000);
    expect(look.height).toBe(101);
    look.answered(1, 101, 102, 70);
    expect(look.height).toBe(70);
    look.answered(1, 102, 103, null);
    expect(look.height).toBeNull();
  });
});
