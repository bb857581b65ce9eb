import { useEffect, useRef } from 'preact/hooks';
import type { Clients } from '../state/clients.js';
import { route, swapHome } from '../state/route.js';
import { switchTheme, theme } from '../state/theme.js';
import { Icon, Wordmark } from '../ui/icons.js';
import { PageLink } from '../ui/page-link.js';
import { ConnectionLine } from './connection-line.js';
import { openHelp } from './help-dialog.js';
import { ReorgLine } from './reorg-line.js';
import { SearchBox } from './search-box.js';

export function TopBar({ clients }: { clients: Clients | null }) {
  const { page } = route.value;
  const other = theme.value === 'dark' ? 'light' : 'dark';
  const pages = useRef<HTMLElement>(null);
  // On a narrow screen the links are wider than the bar: the one of the open page is in view.
  useEffect(() => {
    const nav = pages.current!;
    const link = nav.querySelector<HTMLElement>('[aria-current]');
    if (link === null) return;
    const centre = (): void => {
      const [bar, place] = [nav.getBoundingClientRect(), link.getBoundingClientRect()];
      nav.scrollLeft += place.left + place.width / 2 - (bar.left + bar.width / 2);
    };
    const observer = new ResizeObserver(centre);
    observer.observe(nav);
    observer.observe(link);
    return () => observer.disconnect();
  }, [page]);
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="Tidepool, all tokens">
        <Wordmark />
      </a>
      <nav ref={pages} aria-label="Pages">
        <PageLink href="#/" name="Tokens" open={page === 'tokens'} />
        <PageLink href="#/trending" name="Trending" open={page === 'trending'} />
        <PageLink href="#/launches" name="Launches" open={page === 'boards' || page === 'launch'} />
        <PageLink href={swapHome.value} name="Swap" open={page === 'swap' || page === 'receipts'} />
        <PageLink href="#/usage" name="Usage" open={page === 'usage'} />
        <PageLink href="#/status" name="Status" open={page === 'status'} />
      </nav>
      {clients !== null && <SearchBox />}
      <div class="top-end">
        {clients !== null && <ReorgLine rest={clients.rest} />}
        {clients !== null && <ConnectionLine />}
        <button
          type="button"
          class="plain"
          aria-label={`Switch to ${other}`}
          title={`Switch to ${other} (d)`}
          onClick={switchTheme}
        >
          <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
        </button>
        <button
          type="button"
          class="plain key-hint"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={openHelp}
        >
          ?
        </button>
      </div>
    </header>
  );
}
