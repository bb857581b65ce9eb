import { shortId } from '../format/numbers.js';
import { into, setTo } from '../state/set.js';
import { CopyButton } from '../ui/copy-button.js';
import { TextInput } from '../ui/text-input.js';
import { FieldTrouble, Trouble } from '../ui/trouble.js';
import { DemoButton } from './demo/demo-button.js';
import type { DemoSide } from './demo/local-demo.js';
import type { SwapForm } from './swap-form.js';

/** Whose transactions they will be. An address is all that is ever asked for; keys stay where they are. */
export function WalletField({ form, demo, tried }: { form: SwapForm; demo: DemoSide | null; tried: boolean }) {
  const text = form.wallet.value;
  const wrong = text.trim() !== '' || tried ? form.walletTrouble.value : null;
  if (demo?.signs(text)) {
    return (
      <div class="row-field">
        <span class="row-label">Wallet</span>
        <p class="demo-wallet" data-demo-wallet={text}>
          <span class="badge badge-busy">demo</span> <code title={text}>{shortId(text)}</code>
          <CopyButton text={text} what="the address" />
          <button type="button" class="link" onClick={setTo(form.wallet, '')}>
            another one
          </button>
        </p>
        <p class="quiet row-note">Its key was made in this tab, stays in it, and is worth nothing on a real chain.</p>
      </div>
    );
  }
  return (
    <div class="row-field wallet-field">
      <label for="wallet">Wallet that will sign</label>
      {demo !== null && <DemoButton demo={demo} />}
      <TextInput
        id="wallet"
        placeholder={form.wallets.placeholder}
        maxLength={60}
        value={text}
        trouble={wrong}
        onText={into(form.wallet)}
      />
      <FieldTrouble field="wallet" text={wrong} />
      <Trouble text={demo?.trouble.value} />
    </div>
  );
}
