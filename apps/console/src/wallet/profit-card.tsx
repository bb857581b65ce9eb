import { useSignal } from '@preact/signals';
import { compactUsd, UNKNOWN, whole } from '../format/numbers.js';
import { longSpan } from '../format/times.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { into } from '../state/set.js';
import { Card } from '../ui/card.js';
import { Choices } from '../ui/choices.js';
import { Figure } from '../ui/figure.js';
import { Problem } from '../ui/problem.js';
import { Signed } from '../ui/signed.js';
import { ProfitChart } from './profit-chart.js';

const REFRESH_MS = 5_000;

const spans = { '1d': '30 days', '1h': '24 hours' };
const intervals = ['1d', '1h'] as const;

/** Profit and loss of a wallet over a time, by day or by hour. */
export function ProfitCard({ clients, chain, address }: { clients: Clients; chain: string; address: string }) {
  const interval = useSignal<'1d' | '1h'>('1d');
  const { data, error } = usePolled(`${chain} ${address} ${interval.value}`, REFRESH_MS, (signal) =>
    clients.rest.call('getWalletPnl', { path: { chain, address }, query: { interval: interval.value } }, { signal }),
  );
  return (
    <Card
      id="profit"
      title="Profit and loss"
      aside={
        <Choices
          label="Time"
          values={intervals}
          chosen={interval.value}
          text={(value) => spans[value]}
          onChoose={into(interval)}
        />
      }
    >
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the profit" />}
      {data === null && error !== null && <Problem error={error} what="The profit" />}
      {data !== null && (
        <>
          <dl class="figures">
            <Figure name="Realised" value={<Signed value={data.data.summary.realizedUsd} />} />
            <Figure name="Unrealised" value={<Signed value={data.data.summary.unrealizedUsd} />} />
            <Figure name="Bought for" value={compactUsd(data.data.summary.boughtUsd)} />
            <Figure name="Sold for" value={compactUsd(data.data.summary.soldUsd)} />
            <Figure
              name="Trades"
              value={whole(data.data.summary.buys + data.data.summary.sells)}
              note={`${whole(data.data.summary.buys)} buys, ${whole(data.data.summary.sells)} sales`}
            />
            <Figure name="Sales with a profit" value={share(data.data.summary.winRatePercent)} />
            <Figure name="Held for" value={held(data.data.summary.holdingSeconds)} note="mean of its tokens" />
            <Figure name="Without a known cost" value={share(data.data.summary.unpricedPercent)} />
          </dl>
          <ProfitChart series={data.data.series} interval={interval.value} />
        </>
      )}
    </Card>
  );
}

const share = (percent: number | null): string => (percent === null ? UNKNOWN : `${percent.toFixed(1)}%`);
const held = (seconds: number | null): string => (seconds === null ? UNKNOWN : longSpan(seconds * 1_000));
