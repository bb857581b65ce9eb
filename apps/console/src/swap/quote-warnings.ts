import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';

type Warning = EvmQuote['warnings'][number];

const SENTENCES: Readonly<Record<Warning, string>> = {
  high_impact: 'So large an amount moves the price: a smaller one gets a better rate.',
  taxed_token: 'A token of this route keeps a part of each transfer: less arrives than is quoted.',
  not_sellable: 'Who buys a token of this route could not sell it again.',
  not_transferable: 'A token of this route could not be moved lately: the swap will probably not go through.',
};

/** The warnings of a quote as sentences; codes that this page does not know are left out. */
export const warningSentences = ({ warnings }: { readonly warnings?: readonly string[] }): string[] =>
  (warnings ?? []).flatMap((code) => (SENTENCES as Readonly<Record<string, string>>)[code] ?? []);

/** A swap that moves the price by more than this is asked for twice. */
const MOST_IMPACT_BPS = 500;

/** True where the user has to say twice that it is meant so. */
export const isRisky = ({ impactBps }: { readonly impactBps?: number | null }): boolean =>
  (impactBps ?? 0) > MOST_IMPACT_BPS;

/** Basis points as percent, for reading; null while the router does not know. */
export const impactText = ({ impactBps }: Partial<Pick<EvmQuote, 'impactBps'>>): string | null =>
  impactBps === null || impactBps === undefined ? null : `${(impactBps / 100).toFixed(2)}%`;
