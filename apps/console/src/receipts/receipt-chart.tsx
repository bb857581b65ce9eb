import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { clockTime, dayTime, minuteTime } from '../format/times.js';
import { bpsScale, type ReceiptPoint, timeScale, timeTicks } from './receipt-points.js';
import { bps, bpsTone } from './receipt-words.js';

const HEIGHT = 240;
const MARGIN = { top: 12, right: 14, bottom: 24, left: 58 };
const DAY = 86_400_000;
const MINUTE = 60_000;

interface ChartProps {
  points: readonly ReceiptPoint[];
  /** The receipt that is pointed at, here or in the table. */
  marked: string | null;
  onMark: (id: string | null) => void;
}

/** A dot for each executed swap: above the line it gave more than was quoted, below it less. */
export function ReceiptChart({ points, marked, onMark }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(720);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => {
      width.value = Math.max(240, Math.round(entry!.contentRect.width));
    });
    watcher.observe(box.current!);
    return () => watcher.disconnect();
  }, [width]);

  const [ys, xs] = [bpsScale(points), timeScale(points)];
  const [innerWidth, innerHeight] = [width.value - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const x = (time: number): number => MARGIN.left + ((time - xs.from) / (xs.to - xs.from)) * innerWidth;
  const y = (value: number): number => MARGIN.top + ((ys.to - value) / (ys.to - ys.from)) * innerHeight;
  const { times, step } = timeTicks(xs, Math.max(2, Math.min(8, Math.floor(innerWidth / 75))));
  const pointed = points.find(({ id }) => id === marked) ?? null;
  return (
    <figure class="receipt-chart">
      <div ref={box}>
        <svg
          width={width.value}
          height={HEIGHT}
          viewBox={`0 0 ${width.value} ${HEIGHT}`}
          role="img"
          aria-label={`Differences of ${points.length} executed swaps against their quotes, in basis points`}
          onPointerLeave={() => onMark(null)}
        >
          {ys.lines.map((value) => (
            <g key={value} class={value === 0 ? 'grid-line zero' : 'grid-line'}>
              <line x1={MARGIN.left} x2={width.value - MARGIN.right} y1={y(value)} y2={y(value)} />
              <text x={MARGIN.left - 8} y={y(value) + 4} text-anchor="end">
                {bps(value).replace(' bps', '')}
              </text>
            </g>
          ))}
          {times.map((time) => (
            <text key={time} class="grid-time" x={x(time)} y={HEIGHT - 6} text-anchor="middle">
              {timeText(time, step)}
            </text>
          ))}
          {points.map((point) => (
            <g key={point.id} class={`receipt-dot ${bpsTone(point.bps)}`} data-point={point.id}>
              <line x1={x(point.time)} x2={x(point.time)} y1={y(0)} y2={y(point.bps)} />
              <circle cx={x(point.time)} cy={y(point.bps)} r={point.id === marked ? 6 : 4} />
              <circle
                class="hit-area"
                cx={x(point.time)}
                cy={y(point.bps)}
                r={12}
                onPointerEnter={() => onMark(point.id)}
              />
            </g>
          ))}
        </svg>
      </div>
      <figcaption class="quiet">
        {pointed === null
          ? 'Basis points against the quote; on the line is exactly what was quoted.'
          : `${clockTime(pointed.time)}: ${bps(pointed.bps)}`}
      </figcaption>
    </figure>
  );
}

function timeText(time: number, step: number): string {
  if (step >= DAY) return dayTime(time);
  return step < MINUTE ? clockTime(time) : minuteTime(time);
}
