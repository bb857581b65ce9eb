import type { DemoSide } from './local-demo.js';

/** Lets the wallet of this tab sign, once it has coins. */
export function DemoButton({ demo }: { demo: DemoSide }) {
  return (
    <button type="button" class="demo-button" disabled={demo.opening.value} onClick={() => void demo.use()}>
      {demo.opening.value ? 'Filling it…' : 'Use a demo wallet'}
    </button>
  );
}
