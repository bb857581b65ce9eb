import type { ComponentChildren } from 'preact';
import { shortId } from '../format/numbers.js';
import { TokenMark } from '../ui/token-mark.js';
import type { Coin } from './coins.js';
import { shownAmount } from './units.js';

interface NodeProps {
  chain: string;
  /** Null: not known yet. */
  coin: Coin | null;
  address: string;
  amount: bigint;
}

/** A token of a route, and how much of it. */
export function RouteNode({ chain, coin, address, amount }: NodeProps) {
  return (
    <li class="route-node">
      <TokenMark chain={chain} symbol={coin?.symbol ?? null} address={address} />
      <span class="route-amount">
        {coin === null ? '…' : shownAmount(amount, coin.decimals)}
        <small>{coin?.symbol ?? shortId(address)}</small>
      </span>
    </li>
  );
}

/** What changes one token of a route into the next. */
export function RouteHop({ children }: { children: ComponentChildren }) {
  return (
    <li class="route-hop">
      {children}
      <span class="route-wire" aria-hidden="true" />
    </li>
  );
}

export function RoutePool({ pool, label, note }: { pool: string; label: string; note: string }) {
  return (
    <span class="route-pool" title={`Pool ${pool}`} data-pool={pool}>
      {label}
      <small>{note}</small>
    </span>
  );
}
