import { routedEvmChains } from '#libs/chain/catalogue/catalogue.js';
import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import { notVerified, venueRow } from './venue-rows.js';

it('the list has a row for each venue, in the order of the chains and of their protocols', () => {
  const rows = routedEvmChains().flatMap((spec) =>
    routedVenues(spec).map((venue) => venueRow(spec, venue, notVerified)),
  );
  const ids = rows.map((row) => row.id);
  expect(ids).toEqual(routedEvmChains().flatMap((spec) => routedVenues(spec).map(({ id }) => id)));
  const stated = [
    'eth-uniswap-v2',
    'eth-uniswap-v3',
    'bsc-pancakeswap-v2',
    'bsc-pancakeswap-v3',
    'base-uniswap-v2',
    'base-uniswap-v3',
    'chaind-uniswap-v2',
    'chaind-uniswap-v3',
  ];
  expect(ids.filter((id) => stated.includes(id))).toEqual(stated);
  for (const row of rows) {
    expect(row.aliases).toContain(row.id);
    expect(row.servable).toBe(false);
    for (const address of [row.factory, row.router, row.wrappedNative, row.quoter ?? row.factory]) {
      expect(address).toMatch(/^0x[0-9a-f]{40}$/);
    }
    const v2 = row.protocol === 'v2';
    expect(['feeNumerator' in row, 'feeDenominator' in row]).toEqual([v2, v2]);
    for (const key of ['quoter', 'feeTiers', 'quoterAbi', 'quoterFactoryGetter', 'quoterWrappedNativeGetter']) {
      expect(key in row).toBe(!v2);
    }
  }
  const labels = new Map(rows.map((row) => [row.id.slice(row.chain.length + 1), new Set<string>()]));
  for (const row of rows) labels.get(row.id.slice(row.chain.length + 1))!.add(row.dex);
  expect(labels.size).toBeGreaterThanOrEqual(4);
  for (const seen of labels.values()) expect(seen.size).toBe(1);
});
