import type { ComponentChildren } from 'preact';
import type { SearchRow } from '#libs/serve/contract/rest/search-body.js';
import { shortId } from '../format/numbers.js';
import { tokenLink } from '../state/route.js';
import { RiskMarks } from './marks.js';
import { TokenMark } from './token-mark.js';

interface TokenLinkProps {
  row: Pick<SearchRow, 'chain' | 'address' | 'symbol' | 'name' | 'risks'>;
  /** The list holds tokens of several chains. */
  labelled: boolean;
  before?: ComponentChildren;
  /** More words in the small line. */
  more?: ComponentChildren;
}

/** A token in a list: its picture, symbol and name. The link covers the whole line that holds it. */
export function TokenLink({ row, labelled, before, more }: TokenLinkProps) {
  return (
    <a class="token-link" data-item href={tokenLink(row.chain, row.address)}>
      {before}
      <TokenMark chain={row.chain} symbol={row.symbol} address={row.address} />
      <span class="token-name">
        <span class="token-symbol">
          <strong>{row.symbol ?? 'no symbol'}</strong>
          <RiskMarks row={row} />
        </span>
        <small>
          {labelled && <span class="chain-tag">{row.chain}</span>}
          {row.name ?? shortId(row.address)}
          {more}
        </small>
      </span>
    </a>
  );
}
