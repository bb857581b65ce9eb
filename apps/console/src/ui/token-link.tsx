import type { ComponentChildren } from 'preact';
import { shortId } from '../format/numbers.js';
import { tokenLink } from '../state/route.js';
import { TokenMark } from './token-mark.js';

interface TokenLinkProps {
  row: { chain: string; address: string; symbol: string | null; name: string | null };
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
        <strong>{row.symbol ?? 'no symbol'}</strong>
        <small>
          {labelled && <span class="chain-tag">{row.chain}</span>}
          {row.name ?? shortId(row.address)}
          {more}
        </small>
      </span>
    </a>
  );
}
