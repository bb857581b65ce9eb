import type { ReceiptSummaryBody } from '#libs/serve/contract/rest/receipt-summary.js';
import { UNKNOWN } from '../format/numbers.js';
import type { FamilySummaries } from './load-receipts.js';
import type { ShownReceipt } from './shown-receipt.js';

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
export function stateWords(
  { state, deadline }: Pick<ShownReceipt, 'state' | 'deadline'>,
  now: number,
): { word: string; tone: string } {
  if (state === 'executed') return { word: 'executed', tone: 'good' };
  if (state === 'expired') return { word: 'expired', tone: 'bad' };
  return Date.parse(deadline) > now ? { word: 'built', tone: 'busy' } : { word: 'past its deadline', tone: 'busy' };
}

export function summaryWords({ evm, solana }: FamilySummaries): string {
  const [count, executed] = [evm.count + solana.count, evm.executed + solana.executed];
  const builds = count === 1 ? 'One build' : `${count.toLocaleString('en-US')} builds`;
  return `${builds}, ${executed === count ? (count === 1 ? 'executed' : 'all executed') : `${executed.toLocaleString('en-US')} executed`}`;
}

/**
 * Median and worst difference. Each family has a median of its own, since no route says that of both; the worst is the lower one.
 */
export function differenceFigures({ evm, solana }: FamilySummaries): { name: string; bps: number | null }[] {
  const families = [
    { family: 'EVM', summary: evm },
    { family: 'Solana', summary: solana },
  ].filter(({ summary }) => summary.executed > 0);
  const worst = families.flatMap(({ summary }) => summary.worstDifferenceBps ?? []);
  const median = ({ medianDifferenceBps }: ReceiptSummaryBody) => medianDifferenceBps;
  const medians =
    families.length < 2
      ? [{ name: 'Median', bps: families[0] === undefined ? null : median(families[0].summary) }]
      : families.map(({ family, summary }) => ({ name: `Median, ${family}`, bps: median(summary) }));
  return [...medians, { name: 'Worst', bps: worst.length === 0 ? null : Math.min(...worst) }];
}
