import { swapHome } from '../state/route.js';

/** The two pages of swapping: a new swap, and the results of earlier ones. */
export function SwapTabs({ current }: { current: 'swap' | 'receipts' }) {
  return (
    <nav class="tabs" aria-label="Swaps">
      <a href={swapHome.value} aria-current={current === 'swap' ? 'page' : undefined}>
        Swap
      </a>
      <a href="#/receipts" aria-current={current === 'receipts' ? 'page' : undefined}>
        Receipts
      </a>
    </nav>
  );
}
