/** The two sides of swapping: what is about to be swapped, and what became of it. */
export function SwapTabs({ current }: { current: 'swap' | 'receipts' }) {
  return (
    <nav class="tabs" aria-label="Swaps">
      <a href="#/swap" aria-current={current === 'swap' ? 'page' : undefined}>
        Swap
      </a>
      <a href="#/receipts" aria-current={current === 'receipts' ? 'page' : undefined}>
        Receipts
      </a>
    </nav>
  );
}
