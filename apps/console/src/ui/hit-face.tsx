import { compactUsd, usd } from '../format/numbers.js';
import { TokenMark } from './token-mark.js';

/** One token that can be taken. */
export interface Hit {
  readonly chain: string;
  readonly address: string;
  readonly symbol: string | null;
  readonly name: string | null;
  /** What tells it from others of its name. */
  readonly note: string;
  readonly figures: { readonly priceUsd: number | null; readonly liquidityUsd: number | null } | null;
}

/** What a list of tokens shows of one of them. */
export function HitFace({ chain, address, symbol, name, note, figures }: Hit) {
  return (
    <>
      <TokenMark chain={chain} symbol={symbol} address={address} />
      <span class="hit-name">
        <strong>{symbol ?? 'no symbol'}</strong> <span>{name}</span>
        <small>{note}</small>
      </span>
      {figures !== null && (
        <span class="hit-figures">
          {usd(figures.priceUsd)}
          <small>{compactUsd(figures.liquidityUsd)} liquidity</small>
        </span>
      )}
    </>
  );
}
