// Room: the page in the browser. May import serve/client, types of serve/contract/rest.

import { render } from 'preact';
import './styles/index.css';
import { App } from './shell/app.js';
import { followKey } from './state/clients.js';
import { startClock } from './state/clock.js';
import { shareKey } from './state/key-share.js';
import { readRoute } from './state/route.js';
import { takeKey } from './state/session.js';
import { followTheme } from './state/theme.js';

/** The key leaves the address bar before anything else happens. */
function follow(): void {
  takeKey();
  readRoute();
}

follow();
shareKey(new BroadcastChannel('tidepool'));
addEventListener('hashchange', follow);
followTheme();
followKey();
startClock();
render(<App />, document.getElementById('app')!);
