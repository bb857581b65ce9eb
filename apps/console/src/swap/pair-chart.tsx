import { useMemo } from 'preact/hooks';
import { isMoving } from '../list/is-moving.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { tokenLink } from '../state/route.js';
import { CandleChart } from '../token/candle-chart.js';
import { PageMoment } from '../token/page-moment.js';
import { type Coin, type CoinChain, isNative, plainAddress } from './coins.js';
import { drawnOfPair } from './drawn-of-pair.js';

const ASK_AGAIN_MS = 600_000;

interface PairChartProps {
  clients: Clients;
  row: CoinChain;
  input: Coin;
  output: Coin;
}

/** What the pair did until now: the candles of the token that moves, in the other one where that is the coin. */
export function PairChart({ clients, row, input, output }: PairChartProps) {
  const { chain, wrappedNative } = row;
  const sides = [output, input].map((coin) => {
    const isCoin = isNative(coin) || coin.address === plainAddress(wrappedNative);
    return { coin, isCoin, address: isNative(coin) ? wrappedNative : coin.address };
  });
  const about = sides.map(({ address }) => address).join(' ');
  const { data } = usePolled(`${chain} ${about}`, ASK_AGAIN_MS, async (signal) => {
    const answers = await Promise.all(sides.map(({ address }) => clients.rest.token(chain, address, {}, { signal })));
    return answers.map((answer) => isMoving(answer.data));
  });
  const moment = useMemo(() => new PageMoment(), [clients, chain, about]);
  const drawn = data === null ? null : drawnOfPair(sides.map((side, n) => ({ ...side, moves: data[n]! })));
  if (drawn === null) return null;
  const { coin, address } = drawn.of;
  const unit = drawn.currency === 'usd' ? 'USD' : row.nativeCurrency.symbol;
  return (
    <section class="card pair-chart" aria-labelledby="pair-chart" data-drawn={address}>
      <header>
        <h2 id="pair-chart">
          {coin.symbol} <span class="quiet">in {unit}</span>
        </h2>
        <a class="quiet" href={tokenLink(chain, address)}>
          All of {coin.symbol}
        </a>
      </header>
      <CandleChart
        key={`${chain} ${about} ${drawn.currency}`}
        {...{ clients, chain, moment }}
        {...{ token: address, symbol: coin.symbol, interval: '1m', currency: drawn.currency }}
        coin={row.nativeCurrency.symbol}
        embedded
      />
    </section>
  );
}
