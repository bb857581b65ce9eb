import type { Safety, TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { countOf, safetyLines, worstFirst } from './safety-findings.js';

const NOW = Date.UTC(2026, 10, 28);
const nothing: Safety = {
  ...{ top10Percent: null, creatorPercent: null, sniperPercent: null, bundlerPercent: null, insiderPercent: null },
  ...{ lpBurntPercent: null, mintable: null, freezable: null, renounced: null, owner: null, checked: null },
  ...{ buyTaxPercent: null, sellTaxPercent: null, transferTaxPercent: null },
  ...{ buyable: null, sellable: null, transferable: null, pausable: null, blacklist: null },
  ...{ taxChangeable: null, proxy: null },
};
const token = (safety: Partial<Safety>, more: Partial<TokenBody> = {}): TokenBody =>
  ({
    ...{ address: '0x1', createdAt: null, launchpad: null, priceBasis: null, exitUsd: null, depthUsd: null },
    ...more,
    safety: { ...nothing, ...safety },
  }) as TokenBody;
const line = (of: TokenBody, id: string) => safetyLines(of, NOW).find((each) => each.id === id);

it('calls nothing good that was not shown', () => {
  const lines = safetyLines(token({}), NOW);
  expect(new Set(lines.map(({ state }) => state))).toEqual(new Set(['unknown']));
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  for (const { basis, value } of lines) expect([basis, value]).not.toContain('');
});

it.each([
  [{ top10Percent: 99.94 }, 'top10Percent', 'danger', '99.9%'],
  [{ top10Percent: 40 }, 'top10Percent', 'warning', '40.0%'],
  [{ top10Percent: 12 }, 'top10Percent', 'good', '12.0%'],
  [{ creatorPercent: 5 }, 'creatorPercent', 'warning', '5.00%'],
  [{ sniperPercent: 0 }, 'sniperPercent', 'good', '0.00%'],
  [{ lpBurntPercent: 0 }, 'lpBurntPercent', 'danger', '0.00%'],
  [{ lpBurntPercent: 100 }, 'lpBurntPercent', 'good', '100.0%'],
  [{ sellable: false }, 'sellable', 'danger', 'Cannot be sold'],
  [{ sellable: true }, 'sellable', 'good', 'Can be sold'],
  [{ pausable: true }, 'pausable', 'warning', 'Trading can be stopped'],
  [{ mintable: false }, 'mintable', 'good', 'Supply is fixed'],
  [{ buyTaxPercent: 3, sellTaxPercent: 99 }, 'tax', 'danger', '3.00% buy, 99.0% sell'],
  [{ buyTaxPercent: 3, sellTaxPercent: 3 }, 'tax', 'warning', '3.00% buy, 3.00% sell'],
  [{ buyTaxPercent: 0, sellTaxPercent: 0 }, 'tax', 'good', 'None'],
  [{ buyTaxPercent: 0 }, 'tax', 'unknown', '0.00% buy, — sell'],
] as const)('%j is in %s: %s', (safety, id, state, value) => {
  expect(line(token(safety), id)).toMatchObject({ state, value });
});

it('says what a finding rests on', () => {
  const checked = {
    ...{ block: 7, hash: '0x2', time: NOW, pool: null },
    findings: [
      { finding: 'sellable', basis: 'simulation', detail: 'sold to the deepest pool' },
      { finding: 'mintable', basis: null, detail: 'f00dcafe() refused' },
    ],
  } as Safety['checked'];
  const of = token({ checked, sellable: true });
  expect(line(of, 'sellable')?.basis).toBe('By simulation: sold to the deepest pool');
  expect(line(of, 'mintable')?.basis).toBe('Not shown: f00dcafe() refused');
  expect(line(token({}), 'sellable')?.basis).toBe('Not looked at yet');
});

it('knows a thin price, a curve and an age', () => {
  const thin = token({}, { priceBasis: 'thin', exitUsd: 12, depthUsd: { percent2: 1, percent10: 5 } });
  expect(line(thin, 'exit')).toMatchObject({ state: 'danger', value: '$12.00 could be taken out' });
  // Its liquidity was taken away: no price is left.
  expect(line(token({}, { exitUsd: 0 }), 'exit')).toMatchObject({ state: 'danger' });
  expect(line(token({}, { priceBasis: 'deep' }), 'exit')).toMatchObject({ state: 'good', value: 'Deep' });
  expect(line(token({}, { createdAt: NOW - 3_600_000 }), 'age')).toMatchObject({
    state: 'warning',
    value: '1 h 0 min',
  });
  const launchpad = { name: 'tidepool', graduated: false, progressPercent: 42, graduatedAt: null, graduatedPool: null };
  expect(line(token({}, { launchpad }), 'launch')).toMatchObject({ state: 'warning', value: '42.0% sold' });
});

it('has on Solana the rights of the mint and none that only a contract has', () => {
  const of = token({ mintable: true, freezable: false, renounced: false }, { address: 'So11' });
  expect(line(of, 'mintable')).toMatchObject({ state: 'warning', basis: 'Authorities of the mint account' });
  expect(line(of, 'freezable')?.state).toBe('good');
  expect(line(of, 'sellable')).toBeUndefined();
});

it('shows the worst first and counts', () => {
  const lines = worstFirst(safetyLines(token({ sellable: false, top10Percent: 40, proxy: false }), NOW));
  expect(lines.slice(0, 2).map(({ id }) => id)).toEqual(['sellable', 'top10Percent']);
  expect(lines.at(-1)?.id).toBe('proxy');
  expect([countOf(lines, 'danger'), countOf(lines, 'warning'), countOf(lines, 'good')]).toEqual([1, 1, 1]);
});
