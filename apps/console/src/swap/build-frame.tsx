import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { QuoteFeed } from './quote-feed.js';
import { RouterProblem } from './router-problem.js';
import { routerWords } from './router-words.js';
import type { SwapBuild } from './swap-build.js';

interface FrameProps<Q, A, R> {
  feed: QuoteFeed<Q>;
  build: SwapBuild<A, R>;
  badge: (answer: A) => ComponentChildren;
  /** What was built; `renew` goes back to a live quote. */
  show: (answer: A, renew: () => void) => ComponentChildren;
}

interface ActionsProps {
  /** Whether the demo wallet may sign it. */
  mine: boolean;
  /** The run that was started; null: none. */
  run: { readonly name: 'running' | 'done' | 'failed' } | null;
  onSign: () => void;
  renew: () => void;
}

/** The next step of what was built. */
export function BuildActions({ mine, run, onSign, renew }: ActionsProps) {
  const ended = run !== null && run.name !== 'running';
  return (
    <div class="build-actions">
      {mine && run === null && (
        <button type="button" class="primary" onClick={onSign}>
          Sign with the demo wallet
        </button>
      )}
      <button type="button" onClick={renew} disabled={run !== null && !ended}>
        {ended ? 'Swap again' : 'Back to a live quote'}
      </button>
    </div>
  );
}

/** The card below a quote: being built, refused, or built. */
export function BuildFrame<Q, A, R>({ feed, build, badge, show }: FrameProps<Q, A, R>) {
  const card = useRef<HTMLElement>(null);
  const state = build.state.value;
  // On a narrow screen it is below everything else.
  useEffect(() => card.current?.scrollIntoView({ block: 'nearest' }), [state.name]);
  if (state.name === 'none') return null;
  const renew = (): void => {
    build.drop();
    feed.refresh();
  };
  return (
    <section ref={card} class="card build-card" aria-labelledby="build-title" data-build={state.name}>
      <header>
        <h2 id="build-title">Transactions</h2>
        {state.name === 'built' && badge(state.answer)}
      </header>
      {state.name === 'building' && <div class="loading" role="status" aria-label="Building and simulating" />}
      {state.name === 'refused' && (
        <RouterProblem error={state.error}>
          <button type="button" onClick={renew}>
            {routerWords(state.error).remedy === 'renew' ? 'Take a new quote' : 'Back to the quote'}
          </button>
        </RouterProblem>
      )}
      {state.name === 'built' && <Fragment key={state.at}>{show(state.answer, renew)}</Fragment>}
    </section>
  );
}
