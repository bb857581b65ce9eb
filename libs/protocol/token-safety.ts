import { type Hex, isHex } from '#libs/core/ids.js';

/** What a finding rests on: a run on the state of the block, the contract's code, or a slot of its storage. */
const BASES = ['simulation', 'code', 'storage'] as const;
type FindingBasis = (typeof BASES)[number];

/** `value` null: not shown either way; `detail` says what shows it, or why nothing does. */
export interface Finding<T> {
  readonly value: T | null;
  readonly basis: FindingBasis | null;
  readonly detail: string;
}

/** Yes or no. */
export const FLAG_FINDINGS = [
  ...(['buyable', 'sellable', 'transferable', 'mintable', 'pausable', 'blacklist', 'taxChangeable'] as const),
  ...(['proxy', 'renounced'] as const),
] as const;
/** What is kept of an amount, in basis points. */
export const TAX_FINDINGS = ['buyTaxBps', 'sellTaxBps', 'transferTaxBps'] as const;

export type FlagFinding = (typeof FLAG_FINDINGS)[number];
export type TaxFinding = (typeof TAX_FINDINGS)[number];

export type TokenFindings = Readonly<Record<FlagFinding, Finding<boolean>>> &
  Readonly<Record<TaxFinding, Finding<number>>>;

/**
 * Values of the topic `token-safety`: what was found of a token of an EVM chain at one block. A finding is true or false only where
 * that was shown. It is no fact of a chain: it has a time of its own.
 */
export interface TokenSafetyRecord {
  readonly height: number;
  readonly hash: Hex;
  /** Unix ms, the block's own. */
  readonly time: number;
  /** The pool that the token was traded in; null where none holds any of it. */
  readonly pool: Hex | null;
  /** Who the contract says owns it; null where it says nothing. */
  readonly owner: Hex | null;
  readonly findings: TokenFindings;
  /** How often it was looked at, and when the last time, Unix ms. */
  readonly looks: number;
  readonly foundAt: number;
}

const VERSION = 1;

export const safetyKey = (chain: string, token: Hex): string => `${chain}.${token}`;

/** The token of a key; null for a key that this program would not have written. */
export function safetySubject(key: string): { chain: string; token: Hex } | null {
  const [chain = '', token = '', ...rest] = key.split('.');
  return rest.length === 0 && isHex(token, 20) ? { chain, token } : null;
}

export const encodeSafety = (record: TokenSafetyRecord): Uint8Array =>
  Buffer.from(JSON.stringify({ version: VERSION, ...record }), 'utf8');

/** Null for what this program would not have written: it is passed over. */
export function decodeSafety(bytes: Uint8Array): TokenSafetyRecord | null {
  const from = fieldsOf(bytes);
  if (from === null || !isCount(from.height) || !isCount(from.time)) return null;
  const { height, hash, time, pool, owner, looks, foundAt } = from;
  if (!isCount(looks) || !isCount(foundAt)) return null;
  if (!isText(hash) || !isHex(hash, 32)) return null;
  if (!(pool === null || isText(pool)) || !(owner === null || isText(owner))) return null;
  const findings = findingsIn(from.findings);
  return findings === null ? null : { height, hash, time, pool, owner, findings, looks, foundAt };
}

function findingsIn(value: unknown): TokenFindings | null {
  if (typeof value !== 'object' || value === null) return null;
  const of = (name: string): Finding<unknown> | null => {
    const one = (value as Record<string, unknown>)[name] as Finding<unknown> | undefined;
    const known = one?.basis === null || BASES.includes(one?.basis as FindingBasis);
    return known && isText(one?.detail) ? { value: one!.value, basis: one!.basis, detail: one!.detail } : null;
  };
  const flags = FLAG_FINDINGS.map((name) => [name, of(name)] as const);
  const taxes = TAX_FINDINGS.map((name) => [name, of(name)] as const);
  if (!flags.every(([, one]) => one !== null && (one.value === null || typeof one.value === 'boolean'))) return null;
  if (!taxes.every(([, one]) => one !== null && (one.value === null || isBps(one.value)))) return null;
  return Object.fromEntries([...flags, ...taxes]) as unknown as TokenFindings;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isBps = (value: unknown): boolean => isCount(value) && value <= 10_000;

function fieldsOf(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const from = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown> | null;
    return typeof from === 'object' && from?.version === VERSION ? from : null;
  } catch {
    return null;
  }
}

/** A value of the topic `token-asks`: when it was asked for, Unix ms. */
export const encodeAsk = (askedAt: number): Uint8Array =>
  Buffer.from(JSON.stringify({ version: VERSION, askedAt }), 'utf8');

export function decodeAsk(bytes: Uint8Array): number | null {
  const askedAt = fieldsOf(bytes)?.askedAt;
  return isCount(askedAt) ? askedAt : null;
}

/** What a trader is warned of, the worst first. */
export const tokenRisks = [
  ...(['not_buyable', 'not_sellable', 'not_transferable', 'taxed'] as const),
  ...(['mintable', 'pausable', 'blacklist', 'tax_changeable', 'proxy'] as const),
] as const;
export type TokenRisk = (typeof tokenRisks)[number];

/** What lists and quotes show of a record: risks that were shown, and whether a sale was. */
export interface SafetySummary {
  readonly risks: readonly TokenRisk[];
  readonly sellable: boolean | null;
}

export function summaryOf(findings: TokenFindings): SafetySummary {
  const is = (name: FlagFinding, value: boolean): boolean => findings[name].value === value;
  const taxed = TAX_FINDINGS.some((name) => (findings[name].value ?? 0) > 0);
  const shown: Readonly<Record<TokenRisk, boolean>> = {
    not_buyable: is('buyable', false),
    not_sellable: is('sellable', false),
    not_transferable: is('transferable', false),
    taxed,
    mintable: is('mintable', true),
    pausable: is('pausable', true),
    blacklist: is('blacklist', true),
    tax_changeable: is('taxChangeable', true),
    proxy: is('proxy', true),
  };
  return { risks: tokenRisks.filter((risk) => shown[risk]), sellable: findings.sellable.value };
}
