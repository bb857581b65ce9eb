import { useEffect, useRef } from 'preact/hooks';
import { ReceiptsPage } from '../receipts/receipts-page.js';
import { type Clients, clients } from '../state/clients.js';
import { type Route, route } from '../state/route.js';
import { StatusPage } from '../status/status-page.js';
import { SwapPage } from '../swap/swap-page.js';
import { TokenPage } from '../token/token-page.js';
import { TokensPage } from '../tokens/tokens-page.js';
import { Notice } from '../ui/notice.js';
import { HelpDialog } from './help-dialog.js';
import { KeyPage } from './key-page.js';
import { listenToKeys } from './shortcuts.js';
import { TopBar } from './top-bar.js';

/** The frame around every page; a page exists only while there is a key to ask with. */
export function App() {
  const main = useRef<HTMLElement>(null);
  const place = route.value;
  const current = clients.value;
  const where = JSON.stringify(place);
  useEffect(listenToKeys, []);
  useEffect(() => scrollTo(0, 0), [where]);

  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar withSearch={current !== null} />
      <main id="main" ref={main} tabIndex={-1}>
        {current === null ? <KeyPage /> : <Page key={where} place={place} clients={current} />}
      </main>
      <HelpDialog />
    </>
  );
}

function Page({ place, clients }: { place: Route; clients: Clients }) {
  switch (place.page) {
    case 'tokens':
      return <TokensPage rest={clients.rest} chain={place.chain} />;
    case 'token':
      return <TokenPage clients={clients} chain={place.chain} address={place.address} />;
    case 'swap':
      return <SwapPage clients={clients} pair={place.pair} />;
    case 'receipts':
      return <ReceiptsPage clients={clients} />;
    case 'status':
      return <StatusPage rest={clients.rest} />;
    case 'unknown':
      return (
        <Notice title="There is no such page" tone="error">
          There is nothing at <code>{place.path}</code>. <a href="#/">Go to the tokens</a>.
        </Notice>
      );
  }
}
