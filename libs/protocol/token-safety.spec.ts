import {
  decodeSafety,
  encodeSafety,
  FLAG_FINDINGS,
  safetyKey,
  safetySubject,
  TAX_FINDINGS,
  type TokenFindings,
  type TokenSafetyRecord,
} from './token-safety.js';

const findings = {
  ...Object.fromEntries(FLAG_FINDINGS.map((name) => [name, { value: true, basis: 'simulation', detail: 'it was' }])),
  ...Object.fromEntries(TAX_FINDINGS.map((name) => [name, { value: 250, basis: 'simulation', detail: 'measured' }])),
  sellable: { value: null, basis: null, detail: 'no pool holds any of it' },
} as unknown as TokenFindings;

const record: TokenSafetyRecord = {
  ...{ height: 7, hash: 'ab'.repeat(32), time: 1_700_000_000_000, pool: 'cd'.repeat(20), owner: null, findings },
  ...{ looks: 1, foundAt: 1_700_000_001_000 },
};

const changed = (change: object): Uint8Array =>
  Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(encodeSafety(record)).toString()), ...change }));

describe('a record of token-safety', () => {
  it('reads as it was written', () => {
    expect(decodeSafety(encodeSafety(record))).toEqual(record);
    expect(safetySubject(safetyKey('eth', 'cd'.repeat(20)))).toEqual({ chain: 'eth', token: 'cd'.repeat(20) });
  });

  it.each([
    ['another version', { version: 2 }],
    ['a block without a hash', { hash: 'ab' }],
    ['no findings', { findings: null }],
    ['a tax above all', { findings: { ...findings, buyTaxBps: { value: 10_001, basis: 'simulation', detail: '' } } }],
    ['a flag that is a number', { findings: { ...findings, sellable: { value: 1, basis: 'simulation', detail: '' } } }],
    ['a finding without what it rests on', { findings: { ...findings, proxy: { value: true } } }],
    ['a finding that is missing', { findings: { ...findings, proxy: undefined } }],
  ])('with %s is passed over', (_, change) => {
    expect(decodeSafety(changed(change))).toBeNull();
  });

  it('has no subject under another key', () => {
    expect(['eth', 'eth.', 'eth.12', `eth.${'cd'.repeat(20)}.x`].map(safetySubject)).toEqual([null, null, null, null]);
  });
});
