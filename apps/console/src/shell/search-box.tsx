import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { SearchRow } from '#libs/serve/contract/rest/search-body.js';
import { shortId } from '../format/numbers.js';
import { clients, keyRefused } from '../state/clients.js';
import { tokenLink } from '../state/route.js';
import { setTo } from '../state/set.js';
import { HitFace } from '../ui/hit-face.js';
import { Icon } from '../ui/icons.js';

const MOST_HITS = 8;
const PAUSE_MS = 120;

/** A combobox: typing asks, the arrows mark a hit, Enter opens it, Escape leaves. Only the newest question's answer counts. */
export function SearchBox() {
  const text = useSignal('');
  const hits = useSignal<readonly SearchRow[] | null>(null);
  const trouble = useSignal<string | null>(null);
  const marked = useSignal(0);
  const open = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  /** Enter came before the answer: the first hit is opened when it is there. */
  const openFirst = useRef(false);
  const goTo = useRef<(row: SearchRow) => void>(() => undefined);
  const asked = text.value.trim().slice(0, 128);

  useEffect(() => {
    const rest = clients.peek()?.rest;
    if (asked === '' || rest === undefined) return;
    const ended = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const { data } = await rest.search(asked, { limit: MOST_HITS }, { signal: ended.signal });
        marked.value = 0;
        hits.value = data;
        if (openFirst.current && data[0] !== undefined) goTo.current(data[0]);
      } catch (error) {
        if (ended.signal.aborted || keyRefused(error)) return;
        if (!(error instanceof ApiError)) throw error;
        trouble.value = error.message;
      }
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [asked, hits, trouble, marked]);

  const leave = (): void => {
    open.value = false;
    text.value = '';
    hits.value = null;
    openFirst.current = false;
    input.current?.blur();
  };
  const go = (row: SearchRow): void => {
    location.hash = tokenLink(row.chain, row.address);
    leave();
  };
  goTo.current = go;
  const onKeyDown = (event: KeyboardEvent): void => {
    const rows = hits.value ?? [];
    if (event.key === 'Escape') leave();
    else if (event.key === 'ArrowDown') marked.value = Math.min(rows.length - 1, marked.value + 1);
    else if (event.key === 'ArrowUp') marked.value = Math.max(0, marked.value - 1);
    else if (event.key === 'Enter') {
      const row = rows[marked.value];
      if (row !== undefined) go(row);
      else openFirst.current = hits.value === null && asked !== '';
    } else return;
    event.preventDefault();
  };

  const rows = hits.value;
  const shown = open.value && asked !== '';
  const active = shown && rows !== null && rows.length > 0 ? `hit-${marked.value}` : undefined;
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={input}
        id="search"
        type="text"
        role="combobox"
        aria-label="Search for a token by name, symbol or address"
        aria-expanded={shown}
        aria-controls="hits"
        aria-autocomplete="list"
        aria-activedescendant={active}
        placeholder="Search name, symbol or address"
        autocomplete="off"
        spellcheck={false}
        maxLength={128}
        value={text.value}
        onFocus={setTo(open, true)}
        onBlur={setTo(open, false)}
        onInput={(event) => {
          const { value } = event.currentTarget;
          open.value = true;
          // At once, not with the next drawing: Enter may follow sooner.
          if (value.trim() !== text.value.trim()) {
            hits.value = null;
            trouble.value = null;
            openFirst.current = false;
          }
          text.value = value;
        }}
        onKeyDown={onKeyDown}
      />
      <span class="slash" aria-hidden="true">
        /
      </span>
      {shown && (
        <div class="hits">
          <div id="hits" role="listbox" aria-label="Tokens found">
            {rows?.map((row, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a combobox are those of its input
              <div
                key={`${row.chain}:${row.address}`}
                id={`hit-${index}`}
                role="option"
                tabIndex={-1}
                class="hit"
                aria-selected={index === marked.value}
                onPointerDown={(event) => event.preventDefault()}
                onPointerMove={setTo(marked, index)}
                onClick={() => go(row)}
              >
                <HitFace {...row} note={`${row.chain} · ${shortId(row.address)}`} figures={row} />
              </div>
            ))}
          </div>
          {rows !== null && rows.length === 0 && (
            <p role="status">No matches. Tokens appear after their first pool is indexed.</p>
          )}
          {rows === null && <p role="status">{trouble.value ?? 'Searching…'}</p>}
        </div>
      )}
    </search>
  );
}
