import { offeredLaunchpads } from './offered-launchpads.js';

const row = (slug: string, platforms: string[], unwired: string[] = []) => ({
  ...{ slug, aliases: [], networkId: 1, family: 'evm' as const, platforms, unwired },
});
const rows = [row('sol', ['tidepool', 'pumpfun']), row('base', ['tidepool', 'clanker', 'zora']), row('eth', ['zora'])];
const shown = (coins: string[], local: string[]) =>
  offeredLaunchpads(rows, new Set(coins), new Set(local)).map(({ slug, platforms }) => [slug, platforms]);

it('on real chains all that have a builder are offered, of the chains that are indexed', () => {
  expect(shown(['sol', 'base'], ['eth'])).toEqual([
    ['sol', ['tidepool', 'pumpfun']],
    ['base', ['tidepool', 'clanker', 'zora']],
  ]);
});

it('on local chains none is offered whose contracts do not stand there', () => {
  expect(shown(['sol', 'base', 'eth'], ['base', 'eth'])).toEqual([
    ['sol', ['tidepool', 'pumpfun']],
    ['base', ['tidepool']],
  ]);
});
