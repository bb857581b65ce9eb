import { drawnOfPair } from './drawn-of-pair.js';

const coin = { name: 'ETH', isCoin: true, moves: true };
const stable = { name: 'USDC', isCoin: false, moves: false };
const [otter, pearl] = ['OTTR', 'PERL'].map((name) => ({ name, isCoin: false, moves: true }));

describe('the chart of a pair', () => {
  it.each([
    [[pearl!, coin], 'PERL', 'native'],
    [[coin, pearl!], 'PERL', 'native'],
    [[pearl!, stable], 'PERL', 'usd'],
    [[stable, otter!], 'OTTR', 'usd'],
    [[pearl!, otter!], 'PERL', 'usd'],
    [[stable, coin], 'ETH', 'usd'],
    [[coin, coin], 'ETH', 'usd'],
  ] as const)('is of the token that moves: %#', (sides, name, currency) => {
    const drawn = drawnOfPair<typeof coin>(sides);
    expect([drawn?.of.name, drawn?.currency]).toEqual([name, currency]);
  });

  it('is left out where nothing moves', () => expect(drawnOfPair([stable, stable])).toBeNull());
});
