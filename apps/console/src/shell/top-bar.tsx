import { route } from '../state/route.js';
import { switchTheme, theme } from '../state/theme.js';
import { Icon, Wordmark } from '../ui/icons.js';
import { ConnectionLine } from './connection-line.js';
import { openHelp } from './help-dialog.js';
import { SearchBox } from './search-box.js';

export function TopBar({ withSearch }: { withSearch: boolean }) {
  const { page } = route.value;
  const other = theme.value === 'dark' ? 'light' : 'dark';
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="Tidepool, all tokens">
        <Wordmark />
      </a>
      <nav aria-label="Pages">
        <a href="#/" aria-current={page === 'tokens' ? 'page' : undefined}>
          Tokens
        </a>
        <a href="#/trending" aria-current={page === 'trending' ? 'page' : undefined}>
          Trending
        </a>
        <a href="#/launches" aria-current={page === 'boards' || page === 'launch' ? 'page' : undefined}>
          Launches
        </a>
        <a href="#/swap" aria-current={page === 'swap' || page === 'receipts' ? 'page' : undefined}>
          Swap
        </a>
        <a href="#/usage" aria-current={page === 'usage' ? 'page' : undefined}>
          Usage
        </a>
        <a href="#/status" aria-current={page === 'status' ? 'page' : undefined}>
          Status
        </a>
      </nav>
      {withSearch && <SearchBox />}
      <div class="top-end">
        {withSearch && <ConnectionLine />}
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
