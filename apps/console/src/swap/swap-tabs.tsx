import { swapHome } from '../state/route.js';
import { PageLink } from '../ui/page-link.js';

/** The two pages of swapping: a new swap, and the results of earlier ones. */
export function SwapTabs({ current }: { current: 'swap' | 'receipts' }) {
  return (
    <nav class="tabs" aria-label="Swaps">
      <PageLink href={swapHome.value} name="Swap" open={current === 'swap'} />
      <PageLink href="#/receipts" name="Receipts" open={current === 'receipts'} />
    </nav>
  );
}
