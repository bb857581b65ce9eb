import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from '#libs/client/api-error.js';
import type { EvmChainRow } from '#libs/protocol/rest/evm/chain-body.js';
import { compactUsd, shortId, usd } from '../format/numbers.js';
import { type Clients, keyRefused } from '../state/clients.js';
import { TokenMark } from '../ui/token-mark.js';
import { type Coin, type CoinBook, CoinError, nativeCoin } from './coins.js';
import { type CoinHit, findCoins } from './find-coins.js';

const PAUSE_MS = 120;

interface DialogProps {
  clients: Clients;
  row: EvmChainRow;
  book: CoinBook;
  title: string;
  onChoose: (coin: Coin) => void;
  onClose: () => void;
}

/** A combobox in the browser's own modal dialog: typing asks, the arrows mark, Enter takes, Escape leaves. */
export function CoinDialog({ clients, row, book, title, onChoose, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const hits = useSignal<readonly CoinHit[] | null>(null);
  const marked = useSignal(0);
  const trouble = useSignal<string | null>(null);
  /** Enter came before the answer: the first hit is taken when it is there. */
  const takeFirst = useRef(false);
  const takeHit = useRef<(hit: CoinHit) => void>(() => undefined);
  const asked = text.value.trim().slice(0, 128);

  // Before anything is seen, so that whatever is typed next goes into it.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const ended = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const found = await findCoins(clients.rest, row, asked, ended.signal);
        marked.value = 0;
        hits.value = found;
        if (takeFirst.current && found[0] !== undefined) takeHit.current(found[0]);
        takeFirst.current = false;
      } catch (error) {
        if (ended.signal.aborted || keyRefused(error)) return;
        if (!(error instanceof ApiError)) throw error;
        hits.value = [];
        trouble.value = error.message;
      }
    };
    const timer = setTimeout(() => void ask(), asked === '' ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [asked, clients, row.chain, hits, marked, trouble]);

  const take = async (hit: CoinHit): Promise<void> => {
    try {
      onChoose(hit.native ? nativeCoin(row) : await book.load(hit.address));
    } catch (error) {
      if (!(error instanceof CoinError || error instanceof ApiError)) throw error;
      trouble.value = `${error.message}.`;
    }
  };
  takeHit.current = (hit) => void take(hit);
  const rows = hits.value ?? [];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      marked.value = Math.max(0, Math.min(rows.length - 1, marked.value + step));
      document.getElementById(`coin-${marked.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      const hit = rows[marked.value];
      if (hit !== undefined) void take(hit);
      else takeFirst.current = hits.value === null;
    } else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside the dialog closes it, and so does its own Escape
    <dialog
      ref={dialog}
      class="coin-dialog"
      aria-labelledby="coin-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <h2 id="coin-title">{title}</h2>
      <input
        type="text"
        role="combobox"
        aria-label="Search for a token by name, symbol or address"
        aria-expanded="true"
        aria-controls="coins"
        aria-autocomplete="list"
        aria-activedescendant={rows.length > 0 ? `coin-${marked.value}` : undefined}
        placeholder="Name, symbol or address"
        autocomplete="off"
        spellcheck={false}
        maxLength={128}
        value={text.value}
        onInput={(event) => {
          // At once, not with the next drawing: Enter may follow sooner.
          hits.value = null;
          takeFirst.current = false;
          text.value = event.currentTarget.value;
          trouble.value = null;
        }}
        onKeyDown={onKeyDown}
      />
      {trouble.value !== null && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {hits.value === null && <p class="quiet">Searching…</p>}
      {hits.value !== null && rows.length === 0 && trouble.value === null && (
        <p class="quiet" role="status">
          Nothing on {row.chain} is called that. A token appears once one of its pools was seen.
        </p>
      )}
      <div id="coins" class="coin-list" role="listbox" aria-label={`Tokens of ${row.chain}`}>
        {rows.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a combobox are those of its input
          <div
            key={hit.address}
            id={`coin-${index}`}
            role="option"
            tabIndex={-1}
            class="hit"
            aria-selected={index === marked.value}
            onPointerMove={() => {
              marked.value = index;
            }}
            onClick={() => void take(hit)}
          >
            <TokenMark chain={row.chain} symbol={hit.symbol} address={hit.address} />
            <span class="hit-name">
              <strong>{hit.symbol}</strong> <span>{hit.name}</span>
              <small>{hit.native ? `the coin of ${row.chain}` : shortId(hit.address)}</small>
            </span>
            {!hit.native && (
              <span class="hit-figures">
                {usd(hit.priceUsd)}
                <small>{compactUsd(hit.liquidityUsd)} liquidity</small>
              </span>
            )}
          </div>
        ))}
      </div>
    </dialog>
  );
}
