import type { ApiError } from '#libs/serve/client/api-error.js';
import { accountProblem } from '../state/account-words.js';
import { Notice } from './notice.js';

/** A failed request in words: what happened, what the page does about it, what the user can do. `alone`: the page is nothing else. */
export function Problem({ error, what, alone = false }: { error: ApiError; what: string; alone?: boolean }) {
  if (error.status === null) {
    return (
      <Notice title="The service cannot be reached" tone="error" alone={alone}>
        The page tries again by itself. Is it still running? Where it was started, <code>npm start</code> starts it
        again.
      </Notice>
    );
  }
  if (error.status === 404) {
    return (
      <Notice title={`${what} is not known here`} tone="error" alone={alone}>
        {error.message}. It may appear once a pool that trades it was seen. <a href="#/">Back to the tokens</a>.
      </Notice>
    );
  }
  const account = accountProblem(error);
  if (account !== null) {
    return (
      <Notice title={account.title} tone={account.tone} alone={alone}>
        {account.words} <a href="#/usage">What this account used</a>.
      </Notice>
    );
  }
  if (error.status === 503) {
    return (
      <Notice title="Not ready yet" tone="waiting" alone={alone}>
        {error.message}. The page continues by itself; the <a href="#/status">status</a> says how far it is.
      </Notice>
    );
  }
  return (
    <Notice title={`${what} cannot be shown`} tone="error" alone={alone}>
      {error.message}
      {error.requestId !== null && ` (request ${error.requestId})`}
    </Notice>
  );
}
