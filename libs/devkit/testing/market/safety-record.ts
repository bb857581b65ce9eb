import {
  FLAG_FINDINGS,
  type FlagFinding,
  TAX_FINDINGS,
  type TaxFinding,
  type TokenFindings,
  type TokenSafetyRecord,
} from '#libs/protocol/token-safety.js';

type Values = Partial<Record<FlagFinding, boolean | null> & Record<TaxFinding, number | null>>;

/** A record of a token that nothing is to be said against but what is given. */
export function safetyRecord(values: Values): TokenSafetyRecord {
  const good: Values = { buyable: true, sellable: true, transferable: true, renounced: true };
  const of = (name: FlagFinding | TaxFinding, otherwise: boolean | number) => {
    const value = values[name] === undefined ? (good[name] ?? otherwise) : values[name];
    return {
      value,
      basis: value === null ? null : 'simulation',
      detail: value === null ? 'not shown' : 'it was tried',
    };
  };
  const findings = Object.fromEntries([
    ...FLAG_FINDINGS.map((name) => [name, of(name, false)]),
    ...TAX_FINDINGS.map((name) => [name, of(name, 0)]),
  ]) as unknown as TokenFindings;
  return {
    ...{ height: 7, hash: 'ab'.repeat(32), time: 1_700_000_000_000, pool: 'cd'.repeat(20), owner: 'ef'.repeat(20) },
    ...{ findings, looks: 1, foundAt: 1_700_000_001_000 },
  };
}
