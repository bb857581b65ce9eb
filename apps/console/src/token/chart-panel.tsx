import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Clients } from '../state/clients.js';
import type { TokenPlace } from '../state/route.js';
import { onKey } from '../ui/page-keys.js';
import { CandleChart } from './candle-chart.js';
import { CompareChoice } from './compare-choice.js';
import { intervals, neighbour } from './intervals.js';
import type { PageMoment } from './page-moment.js';

/** Kept from token to token. */
const interval = signal<string>('1m');
const currency = signal<'usd' | 'native'>('usd');

const shift = (step: 1 | -1) => (): void => {
  interval.value = neighbour(interval.value, step);
};
const switchCurrency = (): void => {
  currency.value = currency.value === 'usd' ? 'native' : 'usd';
};

interface ChartPanelProps {
  clients: Clients;
  chain: string;
  token: string;
  symbol: string;
  coin: string;
  moment: PageMoment;
  compared: TokenPlace | null;
}

export function ChartPanel({ clients, chain, token, symbol, coin, moment, compared }: ChartPanelProps) {
  useEffect(() => {
    const ends = [onKey('[', shift(-1)), onKey(']', shift(1)), onKey('c', switchCurrency)];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <section class="card chart-panel" aria-label="Chart">
      <div class="chart-tools">
        <fieldset class="choices intervals" aria-label="Length of a candle">
          {intervals.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === interval.value}
              onClick={() => {
                interval.value = name;
              }}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <fieldset class="choices" aria-label="Prices in">
          {(['usd', 'native'] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === currency.value}
              onClick={() => {
                currency.value = name;
              }}
            >
              {name === 'usd' ? 'USD' : coin}
            </button>
          ))}
        </fieldset>
        <CompareChoice {...{ clients, chain, token, compared }} />
      </div>
      <CandleChart
        key={[chain, token, interval.value, currency.value, compared?.chain, compared?.address].join(' ')}
        {...{ clients, chain, token, symbol, coin, moment, compared }}
        {...{ interval: interval.value, currency: currency.value }}
      />
      <p class="credit">
        Chart drawn with{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
          TradingView Lightweight Charts
        </a>
      </p>
    </section>
  );
}
