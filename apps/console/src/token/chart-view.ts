import {
  CandlestickSeries,
  type ChartOptions,
  ColorType,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  type DeepPartial,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineSeries,
  LineStyle,
  type MouseEventParams,
  PriceScaleMode,
  TickMarkType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { price } from '../format/numbers.js';
import { clockTime, dayTime, fullTime, minuteTime, monthTime, utcDate, utcDay, utcMonth } from '../format/times.js';
import { type Bar, closeBefore, continuousBars, indexFrom, type Place } from './bars.js';
import type { Replaced } from './replaced-candles.js';

export interface ChartColours {
  text: string;
  grid: string;
  border: string;
  up: string;
  down: string;
  upFaint: string;
  downFaint: string;
  crosshair: string;
  /** Outline of candles whose block was replaced. */
  ghost: string;
  /** The mark where they begin. */
  fork: string;
  /** Line of the other token. */
  compared: string;
}

export interface ChartLook {
  readonly inUsd: boolean;
  /** Of a time below the candles; whole days are those of UTC. */
  readonly precision: 'seconds' | 'minutes' | 'days';
  /** The wheel scrolls the page, not the chart. */
  readonly embedded: boolean;
}

/** With more candles than this to change, all are set again at once. */
const MOST_UPDATES = 50;
/** Candles left of the view below which older ones are asked for. */
const MARGIN = 40;

const MIN_MOVE = 1e-12;

/** The zero mark on the axis of a tiny price is the rounding error of a float difference. */
const withoutDust = (value: number): number => (Math.abs(value) < MIN_MOVE / 1_000 ? 0 : value);

/** The margin below the candles of a price near zero reaches below it: no price is there. */
const axisText = (value: number): string => (withoutDust(value) < 0 ? '' : price(withoutDust(value)));

/**
 * Draws candles and volumes with lightweight-charts and keeps what is drawn equal to the rows it is given: what changed
 * is updated in place, so that the view stays where the user scrolled it.
 */
export class ChartView {
  private readonly chart: IChartApi;
  private readonly candles: ISeriesApi<'Candlestick'>;
  private readonly volumes: ISeriesApi<'Histogram'>;
  private readonly ghosts: ISeriesApi<'Candlestick'>;
  private readonly marks: ISeriesMarkersPluginApi<Time>;
  private line: ISeriesApi<'Line'> | null = null;
  /** At the newest close; the library's own label would be that of the newest candle in view. */
  private lastClose: IPriceLine | null = null;
  private replaced: Replaced | null = null;
  private rows: readonly CandleBody[] = [];
  private colours: ChartColours | null = null;

  constructor(
    element: HTMLElement,
    private readonly look: ChartLook,
    events: { onOlder: () => void; onPoint: (candle: CandleBody | null) => void },
  ) {
    this.chart = createChart(element, { ...layout(look), autoSize: true });
    this.candles = this.chart.addSeries(CandlestickSeries, {
      ...{ borderVisible: false, lastValueVisible: false, priceLineVisible: false },
      // The price's own digits are chosen by its size; the smallest step only has to be small enough.
      priceFormat: { type: 'custom', formatter: axisText, minMove: MIN_MOVE },
    });
    this.candles.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom: 0.26 } });
    this.ghosts = this.chart.addSeries(CandlestickSeries, {
      ...{ upColor: 'transparent', downColor: 'transparent', lastValueVisible: false, priceLineVisible: false },
    });
    this.marks = createSeriesMarkers(this.candles, []);
    this.volumes = this.chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    this.chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range !== null && range.from < MARGIN && this.rows.length > 0) events.onOlder();
    });
    this.chart.subscribeCrosshairMove((event) => events.onPoint(this.candleAt(event)));
  }

  paint(colours: ChartColours): void {
    this.colours = colours;
    const { text, grid, border, up, down, crosshair } = colours;
    this.chart.applyOptions({
      layout: { textColor: text },
      grid: { vertLines: { color: grid }, horzLines: { color: grid } },
      timeScale: { borderColor: border },
      rightPriceScale: { borderColor: border },
      crosshair: {
        vertLine: { color: crosshair, labelBackgroundColor: border },
        horzLine: { color: crosshair, labelBackgroundColor: border },
      },
    });
    this.candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
    const { ghost, compared } = colours;
    this.line?.applyOptions({ color: compared });
    this.ghosts.applyOptions({
      ...{ borderUpColor: ghost, borderDownColor: ghost, wickUpColor: ghost, wickDownColor: ghost },
    });
    this.setAll(this.rows);
    this.drawReplaced();
  }

  /** Candles of a replaced block as outlines, and where they begin. */
  showReplaced(replaced: Replaced | null): void {
    if (replaced === this.replaced) return;
    this.replaced = replaced;
    this.drawReplaced();
  }

  /** Two tokens are in percent, whatever is chosen. */
  scaleBy(scale: 'linear' | 'log'): void {
    if (this.line !== null) return;
    this.candles.priceScale().applyOptions({
      mode: scale === 'log' ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal,
    });
  }

  /** The closes of another token as a line: the price scale then says how far each has moved since the left edge. */
  showCompared(rows: readonly CandleBody[]): void {
    if (this.line === null) {
      this.line = this.chart.addSeries(LineSeries, {
        ...{ lineWidth: 2, color: this.colours?.compared ?? '', priceLineVisible: false },
      });
      this.candles.priceScale().applyOptions({ mode: PriceScaleMode.Percentage });
    }
    const points = continuousBars(rows, null).flatMap((bar) =>
      'close' in bar ? [{ time: bar.time as UTCTimestamp, value: bar.close }] : [],
    );
    this.line.setData(points);
  }

  show(rows: readonly CandleBody[], changedFrom: number | null): void {
    const first = this.rows.length === 0;
    const from = changedFrom === null ? 0 : indexFrom(rows, changedFrom);
    // The candles before the change must be the drawn ones, and no drawn one may be gone.
    const inPlace = !first && from > 0 && rows.length - from <= MOST_UPDATES && rows.length >= this.rows.length;
    if (inPlace) this.update(rows, from);
    else this.setAll(rows);
    if (first && rows.length > 0) this.showNewest();
  }

  /** Of the labels right of the chart. */
  axisWidth(): number {
    return this.candles.priceScale().width();
  }

  remove(): void {
    this.chart.remove();
  }

  private drawReplaced(): void {
    const { replaced, colours } = this;
    if (replaced === null) return;
    const bars = continuousBars(replaced.candles, null);
    this.ghosts.setData(bars.map((bar) => ({ ...bar, time: bar.time as UTCTimestamp })));
    // The mark is at the first candle that changed, or at the one before where that is gone.
    const at = this.rows[Math.min(indexFrom(this.rows, replaced.from), this.rows.length - 1)];
    if (at === undefined) return;
    const time = (at.time / 1000) as UTCTimestamp;
    this.marks.setMarkers([
      { time, position: 'aboveBar', shape: 'arrowDown', color: colours?.fork ?? '', text: 'reorg' },
    ]);
  }

  private update(rows: readonly CandleBody[], from: number): void {
    const drawnTo = this.rows[this.rows.length - 1]!.time;
    this.rows = rows;
    const bars = continuousBars(rows.slice(from), closeBefore(rows, from));
    bars.forEach((bar, index) => {
      const candle = rows[from + index]!;
      const past = candle.time < drawnTo;
      this.candles.update({ ...bar, time: bar.time as UTCTimestamp }, past);
      this.volumes.update(this.volumeOf(candle, bar), past);
    });
    this.markLastClose();
  }

  private setAll(rows: readonly CandleBody[]): void {
    this.rows = rows;
    const bars = continuousBars(rows, null);
    this.candles.setData(bars.map((bar) => ({ ...bar, time: bar.time as UTCTimestamp })));
    this.volumes.setData(bars.map((bar, index) => this.volumeOf(rows[index]!, bar)));
    this.markLastClose();
  }

  private markLastClose(): void {
    const { rows, colours } = this;
    const price = closeBefore(rows, rows.length);
    if (price === null) {
      if (this.lastClose !== null) this.candles.removePriceLine(this.lastClose);
      this.lastClose = null;
      return;
    }
    const open = closeBefore(rows, rows.length - 1) ?? rows[rows.length - 1]!.open ?? price;
    const color = (price >= open ? colours?.up : colours?.down) ?? '';
    if (this.lastClose === null) {
      const drawn = { lineWidth: 1, lineStyle: LineStyle.Dotted, axisLabelVisible: true, title: '' } as const;
      this.lastClose = this.candles.createPriceLine({ ...drawn, price, color });
    } else this.lastClose.applyOptions({ price, color });
  }

  private volumeOf(candle: CandleBody, bar: Bar | Place): { time: UTCTimestamp; value: number; color: string } {
    const rose = !('open' in bar) || bar.close >= bar.open;
    const { upFaint = 'transparent', downFaint = 'transparent' } = this.colours ?? {};
    return {
      time: (candle.time / 1000) as UTCTimestamp,
      value: this.look.inUsd ? candle.volumeUsd : candle.volumeNative,
      color: rose ? upFaint : downFaint,
    };
  }

  /** As many candles as look good in the width there is. */
  private showNewest(): void {
    const count = Math.min(this.rows.length, Math.max(40, Math.round(this.chart.timeScale().width() / 8)));
    this.chart.timeScale().setVisibleLogicalRange({ from: this.rows.length - count, to: this.rows.length + 3 });
  }

  private candleAt(event: MouseEventParams<Time>): CandleBody | null {
    if (event.time === undefined || event.point === undefined) return null;
    const time = Number(event.time) * 1000;
    const candle = this.rows[indexFrom(this.rows, time)];
    return candle?.time === time ? candle : null;
  }
}

function layout({ precision, embedded }: ChartLook): DeepPartial<ChartOptions> {
  return {
    layout: {
      background: { type: ColorType.Solid, color: 'transparent' },
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 11,
      // Its logo brings an inline style, which the page's content security policy refuses: the page names it in text.
      attributionLogo: false,
    },
    crosshair: { mode: CrosshairMode.Normal },
    timeScale: {
      timeVisible: precision !== 'days',
      secondsVisible: precision === 'seconds',
      rightOffset: 3,
      minBarSpacing: 1,
      tickMarkFormatter: (time: Time, type: TickMarkType) =>
        precision === 'days' ? dayText(Number(time) * 1000, type) : tickText(Number(time) * 1000, type),
    },
    localization: {
      timeFormatter: (time: Time) =>
        precision === 'days' ? utcDate(Number(time) * 1000) : fullTime(Number(time) * 1000),
    },
    // The page is scrolled by a finger that moves up or down on the chart.
    handleScroll: { vertTouchDrag: false, mouseWheel: !embedded },
    handleScale: { axisPressedMouseMove: { price: true, time: true }, mouseWheel: !embedded },
  };
}

/** Candles of days, weeks and months begin with a day of UTC: their times are dates. */
const dayText = (time: number, type: TickMarkType): string =>
  type === TickMarkType.Year || type === TickMarkType.Month ? utcMonth(time) : utcDay(time);

/** In the user's local time, not in UTC. */
function tickText(time: number, type: TickMarkType): string {
  switch (type) {
    case TickMarkType.Year:
    case TickMarkType.Month:
      return monthTime(time);
    case TickMarkType.DayOfMonth:
      return dayTime(time);
    case TickMarkType.Time:
      return minuteTime(time);
    case TickMarkType.TimeWithSeconds:
      return clockTime(time);
  }
}
