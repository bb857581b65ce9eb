import { useSignal } from '@preact/signals';
import { Icon } from './icons.js';

const SAID_MS = 1_500;

/** Copies a text and says so; where the browser forbids it (a page over plain http), it says that. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const said = useSignal<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = 'copied';
    } catch {
      said.value = 'the browser does not allow it';
    }
    setTimeout(() => {
      said.value = null;
    }, SAID_MS);
  };
  return (
    <button
      type="button"
      class="plain copy"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={said.value === 'copied' ? 'check' : 'copy'} />
      <span class="unseen" role="status">
        {said.value}
      </span>
    </button>
  );
}
