import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { setTo } from '../state/set.js';

const open = signal(false);

export const openHelp = setTo(open, true);

const keys: readonly [string[], string][] = [
  [['/'], 'search for a token'],
  [['↑', '↓'], 'move in a list (also j and k)'],
  [['Enter'], 'open what is marked, sort by a marked column'],
  [['[', ']'], 'shorter or longer candles'],
  [['c'], 'prices in USD or in the coin of the chain'],
  [['g'], 'linear or logarithmic prices'],
  [['t'], 'all tokens'],
  [['h'], 'trending tokens'],
  [['l'], 'launches'],
  [['x'], 'swap'],
  [['r'], 'receipts of swaps'],
  [['s'], 'status'],
  [['d'], 'dark or light'],
  [['?'], 'this list'],
];

/** The browser's own modal dialog: it holds the focus, Escape closes it, and the focus goes back where it was. */
export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const shown = open.value;
  useEffect(() => {
    if (shown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [shown]);
  const close = setTo(open, false);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {keys.map(([names, what]) => (
          <div key={what}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="close-dialog" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
