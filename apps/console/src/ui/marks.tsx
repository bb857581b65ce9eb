import type { ComponentChildren } from 'preact';
import type { SearchRow } from '#libs/serve/contract/rest/search-body.js';
import { compactUsd } from '../format/numbers.js';

/** Small words next to a token or its price: what a trader is warned of. The colour never carries the meaning alone. */
type Tone = 'good' | 'warning' | 'danger' | 'unknown';

export function Mark({ tone, title, children }: { tone: Tone; title?: string; children: ComponentChildren }) {
  return (
    <span class={`caution caution-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** Where nothing or little could be taken out at the price next to it, or a curve makes it; nothing next to a deep one. */
export function BasisMark({ priceBasis, exitUsd }: Pick<SearchRow, 'priceBasis' | 'exitUsd'>) {
  if (priceBasis === null && exitUsd === 0) {
    return (
      <Mark tone="danger" title="Nothing could be taken out of its pools">
        no exit
      </Mark>
    );
  }
  if (priceBasis !== 'thin' && priceBasis !== 'curve') return null;
  const exit = `${compactUsd(exitUsd)} could be taken out`;
  return priceBasis === 'thin' ? (
    <Mark tone="danger" title={`Thin price: ${exit}`}>
      thin
    </Mark>
  ) : (
    <Mark tone="unknown" title={`Price of a bonding curve: ${exit}`}>
      curve
    </Mark>
  );
}

type Risk = NonNullable<SearchRow['risks']>[number];

const risks: Readonly<Record<Risk, readonly [word: string, sentence: string, tone: Tone]>> = {
  not_buyable: ['no buy', 'cannot be bought', 'danger'],
  not_sellable: ['no sale', 'cannot be sold', 'danger'],
  not_transferable: ['no transfer', 'cannot be sent', 'danger'],
  taxed: ['taxed', 'takes a share of trades', 'warning'],
  mintable: ['mintable', 'more can be minted', 'warning'],
  pausable: ['pausable', 'trading can be stopped', 'warning'],
  blacklist: ['blacklist', 'one account can be stopped', 'warning'],
  tax_changeable: ['tax right', 'its taxes can change', 'warning'],
  proxy: ['proxy', 'runs code that may change', 'warning'],
};

/** The worst thing that was shown of a token, and how many more there are. */
export function RiskMarks({ row }: { row: Pick<SearchRow, 'risks'> }) {
  const [worst, ...others] = row.risks ?? [];
  if (worst === undefined) return null;
  const [word, , tone] = risks[worst];
  const title = [worst, ...others].map((risk) => risks[risk][1]).join(', ');
  return (
    <Mark tone={tone} title={`Shown: ${title}`}>
      {word}
      {others.length > 0 && ` +${others.length}`}
    </Mark>
  );
}
