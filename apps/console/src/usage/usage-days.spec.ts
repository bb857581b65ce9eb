import { usageDays, usageRoutes } from './usage-days.js';

const NOW = Date.UTC(2026, 10, 25, 1);
const row = (day: string, route: string, requests: number, credits: number, refused: number) => ({
  ...{ day, key: 'k', route, requests, credits, refused },
});
const rows = [row('2026-11-25', 'a', 2, 4, 1), row('2026-11-25', 'b', 1, 1, 0), row('2026-11-23', 'a', 3, 6, 0)];

describe('usage as the page shows it', () => {
  it('has every day, with what all keys and operations of it did', () => {
    expect(usageDays([...rows, row('2026-10-01', 'a', 9, 9, 9)], 3, NOW)).toEqual([
      { day: '2026-11-23', requests: 3, credits: 6, refused: 0 },
      { day: '2026-11-24', requests: 0, credits: 0, refused: 0 },
      { day: '2026-11-25', requests: 3, credits: 5, refused: 1 },
    ]);
  });

  it('has the operation that costs most first', () => {
    expect(usageRoutes(rows)).toEqual([
      { route: 'a', requests: 5, credits: 10, refused: 1 },
      { route: 'b', requests: 1, credits: 1, refused: 0 },
    ]);
  });
});
