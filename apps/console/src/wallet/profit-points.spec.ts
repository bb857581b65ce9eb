import { profitShape } from './profit-points.js';

const bucket = (realizedUsd: number, cumulativeUsd: number, sells = 1) => ({
  ...{ time: 0, realizedUsd, cumulativeUsd, boughtUsd: 0, soldUsd: 0, buys: 0, sells },
});

describe('the shape of profits', () => {
  it('is none where no bucket traded', () => {
    expect(profitShape([])).toBeNull();
    expect(profitShape([bucket(0, 0, 0)])).toBeNull();
  });

  it('draws profits upwards from zero, losses downwards, and their sum', () => {
    const shape = profitShape([bucket(30, 30), bucket(-40, -10), bucket(0, -10)])!;
    expect([shape.highest, shape.lowest]).toEqual([30, -40]);
    expect(shape.zero).toBeCloseTo(3 / 7);
    expect(shape.bars.map(({ y, height }) => [y, height].map((value) => Math.round(value * 70)))).toEqual([
      [0, 30],
      [30, 40],
      [30, 0],
    ]);
    expect(shape.line.map(({ y }) => Math.round(y * 70))).toEqual([0, 40, 40]);
  });

  it('is flat where nothing was gained or lost', () => {
    const shape = profitShape([bucket(0, 0)])!;
    expect([shape.zero, shape.bars[0]!.height, shape.line[0]!.y]).toEqual([0, 0, 0]);
  });
});
