import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RestClient } from '#libs/serve/client/rest-client.js';
import { into } from '../state/set.js';
import { followSpark } from './spark-loader.js';
import { sparkPath } from './spark-path.js';

const WIDTH = 96;
const HEIGHT = 26;

/** The last day of a price as a small line, ending at what the price is now. */
export function SparkLine(props: { rest: RestClient; chain: string; address: string; price: number | null }) {
  const { rest, chain, address, price } = props;
  const points = useSignal<readonly number[]>([]);
  const box = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    let stop: (() => void) | null = null;
    const watcher = new IntersectionObserver((entries) => {
      const inSight = entries.at(-1)!.isIntersecting;
      if (inSight === (stop !== null)) return;
      stop?.();
      stop = inSight ? followSpark(rest, chain, address, into(points)) : null;
    });
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
      stop?.();
    };
  }, [rest, chain, address, points]);

  const values = price === null || points.value.length === 0 ? points.value : [...points.value, price];
  const path = sparkPath(values, WIDTH, HEIGHT);
  const way = values.length < 2 ? 'flat' : values[values.length - 1]! >= values[0]! ? 'up' : 'down';
  return (
    <span ref={box} class={`spark ${way}`}>
      {path !== null && (
        <svg viewBox={`-1 -2 ${WIDTH + 2} ${HEIGHT + 4}`} aria-hidden="true" focusable="false">
          <path d={path} />
        </svg>
      )}
    </span>
  );
}
