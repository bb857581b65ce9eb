import { UNKNOWN } from '../format/numbers.js';

/** A share in percent as a bar with its figure. A share that is not known has no bar. */
export function ShareBar({ percent }: { percent: number | null }) {
  if (percent === null) return <span class="quiet">{UNKNOWN}</span>;
  return (
    <span class="share">
      <span class="share-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, Math.max(0, percent)).toFixed(2)}%` }} />
      </span>
      {percent >= 0.01 || percent === 0 ? `${percent.toFixed(2)}%` : '<0.01%'}
    </span>
  );
}
