import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { compact, compactUsd, direction, percent, price } from '../format/numbers.js';
import { fullTime, utcDate } from '../format/times.js';
import { precisionOf } from '../shown/intervals.js';
import type { TokenPlace } from '../shown/token-address.js';
import { type Clients } from '../state/clients.js';
import { into } from '../state/set.js';
import { theme } from '../state/theme.js';
import { Icon } from '../ui/icons.js';
import { Notice } from '../ui/notice.js';
import { Problem } from '../ui/problem.js';
import { closeBefore } from './bars.js';
import { CandleFeed } from './candle-feed.js';
import { type ChartColours, ChartView } from './chart-view.js';
import { PageMoment } from './page-moment.js';

interface ChartProps {
  clients: Clients;
  chain: string;
  token: string;
  symbol: string;
  interval: string;
  currency: 'usd' | 'native';
  scale?: 'linear' | 'log';
  /** `primary`, or the address of a pool; null: candles of all pools. */
  pool?: string | null;
  /** What volumes in the coin are counted in. */
  coin?: string;
  moment: PageMoment;
  /** Drawn as a line; then both are in percent of what they were at the left edge. */
  compared?: TokenPlace | null;
  /** Part of a page that is scrolled: the wheel is the page's. */
  embedded?: boolean;
}

/** Used with a key of what it draws: another token, interval or currency is another chart. */
export function CandleChart(props: ChartProps) {
  const { clients, chain, token, symbol, interval, currency, coin = '', moment } = props;
  const { compared = null, scale = 'linear', pool = null, embedded = false } = props;
  const figure = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const feed = useSignal<CandleFeed | null>(null);
  const pointed = useSignal<CandleBody | null>(null);
  const other = useSignal<CandleFeed | null>(null);
  const drawn = useRef<ChartView | null>(null);

  // The key has what is compared: it does not change while the chart lives.
  useEffect(() => {
    const of = { channel: 'candles', interval, currency } as const;
    const source = new CandleFeed(clients, { ...of, chain, token }, moment, pool);
    // Another token has blocks of its own: the page does not wait for them.
    const second =
      compared && new CandleFeed(clients, { ...of, chain: compared.chain, token: compared.address }, new PageMoment());
    const view = new ChartView(
      box.current!,
      { inUsd: currency === 'usd', precision: precisionOf(interval), embedded },
      {
        onOlder: () => {
          void source.loadOlder();
          void second?.loadOlder();
        },
        onPoint: into(pointed),
      },
    );
    const stopPainting = effect(() => {
      void theme.value;
      view.paint(coloursOf(box.current!));
    });
    const stopShowing = effect(() => {
      const { rows, changedFrom, replaced, loaded } = source.candles.value;
      if (!loaded) return;
      view.show(rows, changedFrom);
      view.showReplaced(replaced);
      if (replaced !== null) figure.current!.style.setProperty('--axis', `${view.axisWidth()}px`);
    });
    const stopComparing = effect(() => {
      const state = second?.candles.value;
      if (state?.loaded) view.showCompared(state.rows);
    });
    drawn.current = view;
    feed.value = source;
    other.value = second;
    return () => {
      stopShowing();
      stopComparing();
      second?.stop();
      stopPainting();
      source.stop();
      view.remove();
    };
  }, [clients, chain, token, interval, currency, moment, feed, pointed]);
  // After the one above: the chart is there.
  useEffect(() => drawn.current?.scaleBy(scale), [scale]);

  const state = feed.value?.candles.value;
  const rows = state?.rows ?? [];
  const last = rows[rows.length - 1] ?? null;
  const label = `Candles of ${symbol}, ${interval} each${last?.close == null ? '' : `, the last one closes at ${price(last.close)}`}`;
  return (
    <figure
      ref={figure}
      class="chart"
      data-candles={rows.length}
      data-last-time={last?.time ?? ''}
      data-last-close={last?.close ?? ''}
      data-last-trades={last?.trades ?? ''}
      data-replaced={state?.replaced?.candles.length ?? ''}
      data-compared={other.value?.candles.value.rows.length ?? ''}
    >
      <Legend
        rows={rows}
        candle={pointed.value ?? last}
        unit={currency === 'usd' ? null : coin}
        days={precisionOf(interval) === 'days'}
      />
      {(state?.replaced?.candles.length ?? 0) > 0 && (
        <p class="chart-fork">
          <Icon name="fork" /> Reorg: outlined candles are gone
        </p>
      )}
      {other.value?.candles.value.error != null && (
        <p class="chart-fork">The other token has no candles: {other.value.candles.value.error.message}</p>
      )}
      <div ref={box} class="chart-canvas" role="img" aria-label={label} />
      {state?.loaded === true && rows.length === 0 && (
        <div class="chart-cover">
          <Notice title="No candle yet" tone="waiting">
            Waiting for the first trade.
          </Notice>
        </div>
      )}
      {rows.length > 0 && rows.every(({ close }) => close === null) && (
        <div class="chart-cover over-prices">
          <Notice title="No price to draw">
            {symbol} is traded, but none of these trades sets its price: it is what others are measured in, or its pools
            are too shallow.
          </Notice>
        </div>
      )}
      {state?.error != null && !state.loaded && (
        <div class="chart-cover">
          <Problem error={state.error} what="The chart" />
        </div>
      )}
      {state?.loaded !== true && state?.error == null && (
        <div class="chart-cover">
          <div class="loading" role="status" aria-label="Loading the candles" />
        </div>
      )}
    </figure>
  );
}

/** The figures of the candle under the pointer, else of the newest. `unit`: of volumes in the coin; null: in dollars. */
function Legend(props: {
  rows: readonly CandleBody[];
  candle: CandleBody | null;
  unit: string | null;
  /** The candles are of whole days. */
  days: boolean;
}) {
  const { rows, candle, unit, days } = props;
  if (candle === null) return <figcaption class="legend" />;
  const open = closeBefore(rows, rows.indexOf(candle)) ?? candle.open;
  // A minute whose trades counted for no price is drawn flat where the one before closed.
  const close = candle.close ?? open;
  const change = open === null || close === null || open === 0 ? null : ((close - open) / open) * 100;
  const high = open === null || candle.high === null ? (candle.high ?? open) : Math.max(candle.high, open);
  const low = open === null || candle.low === null ? (candle.low ?? open) : Math.min(candle.low, open);
  return (
    <figcaption class="legend">
      <span class="legend-time">{days ? utcDate(candle.time) : fullTime(candle.time)}</span>
      {(
        [
          ['O', open],
          ['H', high],
          ['L', low],
          ['C', close],
        ] as const
      ).map(([name, value]) => (
        <span key={name}>
          <abbr title={{ O: 'Open', H: 'High', L: 'Low', C: 'Close' }[name]}>{name}</abbr> {price(value)}
        </span>
      ))}
      <span class={`change ${direction(change)}`}>{percent(change)}</span>
      <span>
        <abbr title="Volume">Vol</abbr>{' '}
        {unit === null ? compactUsd(candle.volumeUsd) : `${compact(candle.volumeNative)} ${unit}`}
      </span>
    </figcaption>
  );
}

function coloursOf(element: HTMLElement): ChartColours {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: of('--quiet'),
    grid: of('--grid'),
    border: of('--line-strong'),
    up: of('--up-fill'),
    down: of('--down-fill'),
    upFaint: of('--up-faint'),
    downFaint: of('--down-faint'),
    crosshair: of('--quiet'),
    ghost: of('--quiet'),
    fork: of('--accent'),
    compared: of('--accent'),
  };
}
