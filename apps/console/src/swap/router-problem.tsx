import type { ComponentChildren } from 'preact';
import type { ApiError } from '#libs/serve/client/api-error.js';
import { routerWords } from './router-words.js';

/** What the router has against it, and what to do; a button where this page can do it. */
export function RouterProblem({ error, children }: { error: ApiError; children?: ComponentChildren }) {
  const { title, lines, remedy } = routerWords(error);
  return (
    <div class={`router-problem ${remedy === 'wait' ? 'waiting' : ''}`} role="alert" data-code={error.code}>
      <h3>{title}</h3>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {children}
    </div>
  );
}

/** An answer of the router that is waited for, or why there is none. */
export function AskingRouter({ error }: { error: ApiError | null }) {
  return error === null ? (
    <div class="loading" role="status" aria-label="Asking the router" />
  ) : (
    <RouterProblem error={error} />
  );
}
