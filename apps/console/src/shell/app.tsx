import { useEffect, useRef } from 'preact/hooks';
import { BoardsPage } from '../boards/boards-page.js';
import { LaunchPage } from '../launch/launch-page.js';
import { ReceiptsPage } from '../receipts/receipts-page.js';
import { type Clients, clients } from '../state/clients.js';
import { type Route, route } from '../state/route.js';
import { StatusPage } from '../status/status-page.js';
import { SwapPage } from '../swap/swap-page.js';
import { TokenPage } from '../token/token-page.js';
import { TokensPage } from '../tokens/tokens-page.js';
import { TrendingPage } from '../trending/trending-page.js';
import { Notice } from '../ui/notice.js';
import { UsagePage } from '../usage/usage-page.js';
import { WalletPage } from '../wallet/wallet-page.js';
import { HelpDialog } from './help-dialog.js';
import { KeyPage } from './key-page.js';
import { listenToKeys } from './shortcuts.js';
import { TopBar } from './top-bar.js';

/** The frame around every page; a page exists only while there is a key to ask with. */
export function App() {
  const main = useRef<HTMLElement>(null);
  const place = route.value;
  const current = clients.value;
  // Another order or filter is the same page with another list, another interval the same token.
  const where = JSON.stringify({ ...place, list: null, shown: null });
  useEffect(listenToKeys, []);
  useScroll(where);

  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar clients={current} />
      <main id="main" ref={main} tabIndex={-1}>
        {current === null ? <KeyPage /> : <Page key={where} place={place} clients={current} />}
      </main>
      <HelpDialog />
    </>
  );
}

/** A page that was left is found again where it was left; another one begins at its top. */
function useScroll(where: string): void {
  const left = useRef(new Map<string, number>());
  useEffect(() => {
    scrollTo(0, left.current.get(where) ?? 0);
    const note = (): void => {
      left.current.set(where, scrollY);
    };
    addEventListener('scroll', note, { passive: true });
    return () => removeEventListener('scroll', note);
  }, [where]);
}

function Page({ place, clients }: { place: Route; clients: Clients }) {
  switch (place.page) {
    case 'tokens':
      return <TokensPage clients={clients} chain={place.chain} list={place.list} />;
    case 'token':
      return <TokenPage clients={clients} {...place} />;
    case 'boards':
      return <BoardsPage rest={clients.rest} board={place.board} />;
    case 'trending':
      return <TrendingPage rest={clients.rest} window={place.window} />;
    case 'wallet':
      return <WalletPage clients={clients} chain={place.chain} address={place.address} />;
    case 'swap':
      return <SwapPage clients={clients} pair={place.pair} />;
    case 'launch':
      return <LaunchPage clients={clients} />;
    case 'receipts':
      return <ReceiptsPage clients={clients} />;
    case 'usage':
      return <UsagePage rest={clients.rest} />;
    case 'status':
      return <StatusPage rest={clients.rest} />;
    case 'unknown':
      return (
        <Notice title="There is no such page" tone="error" alone>
          There is nothing at <code>{place.path}</code>. <a href="#/">Go to the tokens</a>.
        </Notice>
      );
  }
}
