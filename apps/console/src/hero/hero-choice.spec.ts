import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import type { ChainStatus } from '#libs/serve/contract/rest/status-body.js';
import { chooseHero } from './hero-choice.js';

const row = (chain: string, symbol: string, changes: readonly (number | null)[]): ScreenerRow => {
  const windows = ['5m', '1h', '6h', '24h'].map((name, at) => [name, { priceChangePercent: changes[at] ?? null }]);
  return { chain, symbol, stats: Object.fromEntries(windows) } as unknown as ScreenerRow;
};

const state = (chain: string, count: number): ChainStatus => ({ chain, reorgs: { count } }) as ChainStatus;

const usdc = row('eth', 'USDC', [0, 0, 0, 0]);
const sol = row('sol', 'SOL', [0, 1.5]);
const weth = row('eth', 'WETH', [null, 0, 0, -0.1]);
const bnb = row('bsc', 'WBNB', [0, 0.2]);

describe('the token of the first page', () => {
  it('is the busiest one whose price moves', () => {
    expect(chooseHero([usdc, sol, weth, bnb], [])?.symbol).toBe('SOL');
    expect(chooseHero([usdc], [state('eth', 5)])).toBeNull();
    expect(chooseHero([], [])).toBeNull();
  });

  it('is of the chain with the most reorgs', () => {
    const rows = [usdc, sol, weth, bnb];
    expect(chooseHero(rows, [state('sol', 0), state('eth', 3), state('bsc', 2)])?.symbol).toBe('WETH');
    expect(chooseHero(rows, [state('sol', 2), state('eth', 2), state('bsc', 2)])?.symbol).toBe('SOL');
  });
});
