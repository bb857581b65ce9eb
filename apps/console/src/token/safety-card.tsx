import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { now } from '../state/clock.js';
import { Card } from '../ui/card.js';
import { Mark } from '../ui/marks.js';
import { countOf, type SafetyLine, type SafetyState, safetyLines, worstFirst } from './safety-findings.js';

const CARD = 'safety';
const words: Readonly<Record<SafetyState, readonly [one: string, many: string]>> = {
  danger: ['danger', 'dangers'],
  warning: ['warning', 'warnings'],
  unknown: ['unknown', 'unknown'],
  good: ['good', 'good'],
};
const states = Object.keys(words) as SafetyState[];

/** Whether it is safe: each finding with its state, and what it rests on. */
export function SafetyCard({ token }: { token: TokenBody }) {
  const lines = safetyLines(token, now.value);
  return (
    <Card id={CARD} title="Safety" class="safety-card" aside={<Counts lines={lines} />}>
      <dl class="safety">
        {worstFirst(lines).map(({ id, name, value, state, basis }) => (
          <div key={id} class={`safety-line safety-${state}`} data-finding={id} data-state={state}>
            <dt>
              <span class="safety-dot" aria-hidden="true" />
              {name}
              <span class="unseen">: {words[state][0]}</span>
            </dt>
            <dd>
              <strong>{value}</strong>
              <small>{basis}</small>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Counts({ lines }: { lines: readonly SafetyLine[] }) {
  return (
    <p class="safety-counts">
      {states.map((state) => {
        const count = countOf(lines, state);
        return count === 0 ? null : (
          <Mark key={state} tone={state}>
            {count} {words[state][count === 1 ? 0 : 1]}
          </Mark>
        );
      })}
    </p>
  );
}

/** The worst of it in the head of the page; it leads to the card. */
export function SafetyPill({ token }: { token: TokenBody }) {
  const worst = worstFirst(safetyLines(token, now.value)).filter(({ state }) => state === 'danger');
  const [first] = worst;
  if (first === undefined) return null;
  const others = worst.length > 1 ? ` and ${worst.length - 1} more` : '';
  return (
    <button type="button" class="safety-pill" onClick={() => document.getElementById(CARD)?.scrollIntoView()}>
      <Mark tone="danger">
        {first.name}: {first.value}
        {others}
      </Mark>
    </button>
  );
}
