import { useSignal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import { RestClient } from '#libs/serve/client/rest-client.js';
import { REFUSED } from '../state/clients.js';
import { keyTrouble, rememberKey } from '../state/session.js';

/** Asks for the key where the link did not bring one, and says where to find it. Only an accepted key is kept. */
export function KeyPage() {
  const text = useSignal('');
  const asking = useSignal(false);
  const trouble = keyTrouble.value;

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const key = text.value.trim();
    if (key === '' || asking.value) {
      if (key === '') keyTrouble.value = 'Paste the key first.';
      return;
    }
    asking.value = true;
    try {
      await new RestClient({ baseUrl: location.origin, apiKey: key }).chains();
      rememberKey(key);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      keyTrouble.value = error.status === 401 ? REFUSED : `${error.message}. Try again in a moment.`;
    } finally {
      asking.value = false;
    }
  };

  return (
    <section class="key-page">
      <h1>Enter your API key</h1>
      <p>
        Every request of this page needs an API key. The link that <code>npm start</code> prints in a terminal brings it
        along. Without that link, paste the key: it is in the file <code>demo-key</code> of the data folder, which is{' '}
        <code>.tidepool</code> next to <code>package.json</code> unless <code>TIDEPOOL_DATA_DIR</code> says otherwise.
      </p>
      <pre>cat .tidepool/demo-key</pre>
      <form onSubmit={(event) => void submit(event)}>
        <label for="key">API key</label>
        <div class="field">
          <input
            id="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={text.value}
            aria-invalid={trouble !== null}
            aria-describedby={trouble === null ? undefined : 'key-trouble'}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              keyTrouble.value = null;
            }}
          />
          <button type="submit" class="primary" disabled={asking.value}>
            {asking.value ? 'Asking…' : 'Open'}
          </button>
        </div>
        {trouble !== null && (
          <p id="key-trouble" class="trouble" role="alert">
            {trouble}
          </p>
        )}
      </form>
      <p class="quiet">It stays in this tab: not in the address, not on the disk.</p>
    </section>
  );
}
