import type { EvmReceipt, EvmReceiptSummary } from '#libs/protocol/rest/evm/receipt-body.js';
import { UNKNOWN } from '../format/numbers.js';

const MINUS = '−';

/** `+1.25 bps`; a difference has two decimals at most. */
export function bps(value: number | null): string {
  if (value === null) return UNKNOWN;
  const size = Math.abs(value).toLocaleString('en-US', { maximumFractionDigits: 2 });
  return `${size === '0' ? '' : value < 0 ? MINUS : '+'}${size} bps`;
}

export const bpsTone = (value: number | null): 'up' | 'down' | 'flat' =>
  value === null || value === 0 ? 'flat' : value > 0 ? 'up' : 'down';

/** A swap that is still to come either has time left or is about to be given up. */
export function stateWords({ state, deadline }: EvmReceipt, now: number): { word: string; tone: string } {
  if (state === 'executed') return { word: 'executed', tone: 'good' };
  if (state === 'expired') return { word: 'expired', tone: 'bad' };
  return Date.parse(deadline) > now ? { word: 'built', tone: 'busy' } : { word: 'past its deadline', tone: 'busy' };
}

export function summaryWords({ count, executed }: EvmReceiptSummary): string {
  const builds = count === 1 ? 'One build' : `${count.toLocaleString('en-US')} builds`;
  return `${builds}, ${executed === count ? (count === 1 ? 'executed' : 'all executed') : `${executed.toLocaleString('en-US')} executed`}`;
}
