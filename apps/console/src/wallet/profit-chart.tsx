import { useSignal } from '@preact/signals';
import type { ProfitBucket } from '#libs/serve/contract/rest/profit-body.js';
import { compactUsd, whole } from '../format/numbers.js';
import { dayTime, fullTime } from '../format/times.js';
import { setTo } from '../state/set.js';
import { profitShape } from './profit-points.js';

const WIDTH = 1_000;
const HEIGHT = 220;

interface ChartProps {
  series: readonly ProfitBucket[];
  interval: '1d' | '1h';
}

/** A bar for each hour or day, above the line a profit, below it a loss; the line is their sum. */
export function ProfitChart({ series, interval }: ChartProps) {
  const marked = useSignal<number | null>(null);
  const shape = profitShape(series);
  if (shape === null) return <p class="quiet">No trade in this time.</p>;
  const pointed = marked.value === null ? null : (shape.bars[marked.value]?.bucket ?? null);
  const path = shape.line.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x * WIDTH} ${y * HEIGHT}`).join('');
  const timeText = interval === '1d' ? dayTime : fullTime;
  return (
    <figure class="profit-chart">
      <span class="profit-scale" aria-hidden="true">
        <span>{compactUsd(shape.highest)}</span>
        <span>{compactUsd(shape.lowest)}</span>
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Realised profit of ${series.length} ${interval === '1d' ? 'days' : 'hours'}`}
        onPointerLeave={setTo(marked, null)}
      >
        <line class="profit-zero" x1={0} x2={WIDTH} y1={shape.zero * HEIGHT} y2={shape.zero * HEIGHT} />
        {shape.bars.map(({ bucket, x, width, y, height }, index) => (
          <g key={bucket.time} class={index === marked.value ? 'marked' : ''} onPointerEnter={setTo(marked, index)}>
            <rect class="profit-hit" x={x * WIDTH} y={0} width={width * WIDTH} height={HEIGHT} />
            <rect
              class={bucket.realizedUsd < 0 ? 'profit-bar loss' : 'profit-bar'}
              x={(x + width * 0.15) * WIDTH}
              y={y * HEIGHT}
              width={width * 0.7 * WIDTH}
              height={height === 0 ? 0 : Math.max(1.5, height * HEIGHT)}
            />
          </g>
        ))}
        <path class="profit-line" d={path} />
      </svg>
      <figcaption class="quiet">
        {pointed === null
          ? 'Bars are the realised profit of each, the line is their sum.'
          : `${timeText(pointed.time)}: ${compactUsd(pointed.realizedUsd)} from ${whole(pointed.sells)} sales, ${compactUsd(pointed.cumulativeUsd)} in all`}
      </figcaption>
    </figure>
  );
}
