import { into } from '../state/set.js';
import { Choices } from '../ui/choices.js';
import { TextInput } from '../ui/text-input.js';
import { FieldTrouble } from '../ui/trouble.js';
import type { SwapForm } from './swap-form.js';

const USUAL = ['0.1', '0.5', '1'];

/** How far below the quote the swap may end before it undoes itself. */
export function SlippageField({ form }: { form: SwapForm }) {
  const text = form.slippageText.value;
  const slippage = form.slippage.value;
  const trouble = 'trouble' in slippage ? slippage.trouble : null;
  const set = into(form.slippageText);
  return (
    <div class="row-field">
      <label for="slippage">Slippage</label>
      <div class="row-controls">
        <Choices label="Usual slippages" values={USUAL} chosen={text} text={(usual) => `${usual}%`} onChoose={set} />
        <span class="percent-input">
          <TextInput id="slippage" inputMode="decimal" maxLength={8} value={text} trouble={trouble} onText={set} />%
        </span>
      </div>
      <FieldTrouble field="slippage" text={trouble} />
    </div>
  );
}
