import type { SwapForm } from './swap-form.js';

const USUAL = ['0.1', '0.5', '1'];

/** How far below the quote the swap may end before it undoes itself. */
export function SlippageField({ form }: { form: SwapForm }) {
  const text = form.slippageText.value;
  const slippage = form.slippage.value;
  const trouble = 'trouble' in slippage ? slippage.trouble : null;
  return (
    <div class="row-field">
      <label for="slippage">Slippage</label>
      <div class="row-controls">
        <fieldset class="choices">
          <legend class="unseen">Usual slippages</legend>
          {USUAL.map((usual) => (
            <button
              key={usual}
              type="button"
              aria-pressed={text === usual}
              onClick={() => {
                form.slippageText.value = usual;
              }}
            >
              {usual}%
            </button>
          ))}
        </fieldset>
        <span class="percent-input">
          <input
            id="slippage"
            type="text"
            inputMode="decimal"
            autocomplete="off"
            maxLength={8}
            value={text}
            aria-invalid={trouble !== null}
            aria-describedby={trouble === null ? undefined : 'slippage-trouble'}
            onInput={(event) => {
              form.slippageText.value = event.currentTarget.value;
            }}
          />
          %
        </span>
      </div>
      {trouble !== null && (
        <p id="slippage-trouble" class="trouble">
          {trouble}
        </p>
      )}
    </div>
  );
}
