import { useEffect } from 'preact/hooks';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { intervals, neighbour } from '../shown/intervals.js';
import type { TokenAddress } from '../shown/token-address.js';
import type { Clients } from '../state/clients.js';
import { changeToken, shownToken } from '../state/route.js';
import { Choices } from '../ui/choices.js';
import { onKey } from '../ui/page-keys.js';
import { CandleChart } from './candle-chart.js';
import { CompareChoice } from './compare-choice.js';
import type { PageMoment } from './page-moment.js';
import { PoolChoice } from './pool-choice.js';

const shift = (step: 1 | -1) => (): void => changeToken({ interval: neighbour(shownToken().interval, step) });
const switchCurrency = (): void => changeToken({ currency: shownToken().currency === 'usd' ? 'native' : 'usd' });
const switchScale = (): void => changeToken({ scale: shownToken().scale === 'log' ? 'linear' : 'log' });

interface ChartPanelProps {
  clients: Clients;
  chain: string;
  token: string;
  symbol: string;
  coin: string;
  moment: PageMoment;
  pools: TokenBody['pools'];
  shown: TokenAddress;
}

/** Interval, currency and scale are in the address: Back returns to the chart that was there before. */
export function ChartPanel({ clients, chain, token, symbol, coin, moment, pools, shown }: ChartPanelProps) {
  const { interval, currency, scale, pool, compared } = shown;
  useEffect(() => {
    const ends = [onKey('[', shift(-1)), onKey(']', shift(1)), onKey('c', switchCurrency), onKey('g', switchScale)];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <section class="card chart-panel" aria-label="Chart">
      <div class="chart-tools">
        <Choices
          label="Length of a candle"
          class="intervals"
          values={intervals}
          chosen={interval}
          onChoose={(name) => changeToken({ interval: name })}
        />
        <Choices
          label="Prices in"
          values={['usd', 'native']}
          chosen={currency}
          text={(name) => (name === 'usd' ? 'USD' : coin)}
          onChoose={(name) => changeToken({ currency: name })}
        />
        {/* Two tokens are compared in percent. */}
        {compared === null && (
          <div class="choices">
            <button type="button" aria-pressed={scale === 'log'} title="Logarithmic prices (g)" onClick={switchScale}>
              Log
            </button>
          </div>
        )}
        <PoolChoice pools={pools} pool={pool} />
        <CompareChoice {...{ clients, chain, token, compared }} />
      </div>
      <CandleChart
        key={[chain, token, interval, currency, pool, compared?.chain, compared?.address].join(' ')}
        {...{ clients, chain, token, symbol, coin, moment, compared, interval, currency, scale, pool }}
      />
      <div class="credit">
        <p>
          A candle closes at the last counted trade of {pool === null ? 'any pool' : 'the pool'}; the price above is
          that at the end of the block.
        </p>
        <p>
          Chart drawn with{' '}
          <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
            TradingView Lightweight Charts
          </a>
        </p>
      </div>
    </section>
  );
}
