import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from '#libs/serve/client/api-error.js';
import { keyRefused } from '../state/clients.js';
import { setTo } from '../state/set.js';
import { type Hit, HitFace } from './hit-face.js';
import { Trouble } from './trouble.js';

const PAUSE_MS = 120;

interface DialogProps<Row extends Hit> {
  title: string;
  /** Of the list of hits. */
  label: string;
  /** What is said where nothing is found. */
  nothing: string;
  /** Names what is searched: another one is another search. */
  about: string;
  find: (text: string, signal: AbortSignal) => Promise<readonly Row[]>;
  /** Why the hit cannot be taken; null where it was. */
  take: (hit: Row) => Promise<string | null>;
  onClose: () => void;
}

/** A combobox in the browser's own modal dialog: typing asks, the arrows mark, Enter takes, Escape leaves. */
export function HitDialog<Row extends Hit>(props: DialogProps<Row>) {
  const { title, label, nothing, about, find, take, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const hits = useSignal<readonly Row[] | null>(null);
  const marked = useSignal(0);
  const trouble = useSignal<string | null>(null);
  /** Enter came before the answer: the first hit is taken when it is there. */
  const takeFirst = useRef(false);
  const takeHit = useRef<(hit: Row) => Promise<void>>(async () => undefined);
  takeHit.current = async (hit) => {
    trouble.value = await take(hit);
  };
  const finder = useRef(find);
  finder.current = find;
  const asked = text.value.trim().slice(0, 128);

  // Before anything is seen, so that whatever is typed next goes into it.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  // `about` names what the finder searches.
  useEffect(() => {
    const ended = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const found = await finder.current(asked, ended.signal);
        marked.value = 0;
        hits.value = found;
        if (takeFirst.current && found[0] !== undefined) void takeHit.current(found[0]);
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
  }, [asked, about, hits, marked, trouble]);

  const rows = hits.value ?? [];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      marked.value = Math.max(0, Math.min(rows.length - 1, marked.value + step));
      document.getElementById(`coin-${marked.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      const hit = rows[marked.value];
      if (hit !== undefined) void takeHit.current(hit);
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
      <Trouble text={trouble.value} />
      {hits.value === null && <p class="quiet">Searching…</p>}
      {hits.value !== null && rows.length === 0 && trouble.value === null && (
        <p class="quiet" role="status">
          {nothing}
        </p>
      )}
      <div id="coins" class="coin-list" role="listbox" aria-label={label}>
        {rows.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a combobox are those of its input
          <div
            key={`${hit.chain} ${hit.address}`}
            id={`coin-${index}`}
            role="option"
            tabIndex={-1}
            class="hit"
            aria-selected={index === marked.value}
            onPointerMove={setTo(marked, index)}
            onClick={() => void takeHit.current(hit)}
          >
            <HitFace {...hit} />
          </div>
        ))}
      </div>
    </dialog>
  );
}
