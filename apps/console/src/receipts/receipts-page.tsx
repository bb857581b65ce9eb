import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { into } from '../state/set.js';
import { CoinBook, type CoinChain } from '../swap/coins.js';
import { RouterGate } from '../swap/router-gate.js';
import { RouterProblem } from '../swap/router-problem.js';
import { isSolana } from '../swap/solana-row.js';
import { SwapTabs } from '../swap/swap-tabs.js';
import { Card } from '../ui/card.js';
import { Figure } from '../ui/figure.js';
import { Notice } from '../ui/notice.js';
import { usePageTitle } from '../ui/page-title.js';
import { type FamilySummaries, loadReceipts } from './load-receipts.js';
import { ReceiptChart } from './receipt-chart.js';
import { receiptPoints } from './receipt-points.js';
import { ReceiptTable } from './receipt-table.js';
import { bps, bpsTone, differenceFigures, summaryWords } from './receipt-words.js';
import type { ShownReceipt } from './shown-receipt.js';

const REFRESH_MS = 2_000;
const CHAINS_MS = 60_000;
const PAGE = 50;

export function ReceiptsPage({ clients }: { clients: Clients }) {
  usePageTitle('Receipts');
  return (
    <div class="page receipts-page">
      <RouterGate clients={clients}>{(router) => <Receipts clients={clients} router={router} />}</RouterGate>
    </div>
  );
}

function Receipts({ clients, router }: { clients: Clients; router: RouterClient }) {
  const count = useSignal(PAGE);
  const { data, error, refresh } = usePolled('receipts', REFRESH_MS, (signal) =>
    loadReceipts(router, count.peek(), signal),
  );
  const marked = useSignal<string | null>(null);
  const books = useBooks(clients, router);
  const mark = into(marked);
  return (
    <>
      <div class="page-head">
        <h1>Receipts</h1>
        <SwapTabs current="receipts" />
        {data !== null && data.rows.length > 0 && <p class="quiet blocks">{summaryWords(data.summaries)}</p>}
      </div>
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the receipts" />}
      {data === null && error !== null && <RouterProblem error={error} />}
      {data !== null && data.rows.length === 0 && (
        <Notice title="No receipt yet">
          Every build of the router leaves one: what was quoted, and what the chain gave when it was sent.{' '}
          <a href="#/swap">Build a swap</a>.
        </Notice>
      )}
      {data !== null && data.rows.length > 0 && (
        <>
          <Differences rows={data.rows} summaries={data.summaries} marked={marked.value} onMark={mark} />
          <section class="card receipts-card" aria-label="Receipts">
            <ReceiptTable
              receipts={data.rows}
              book={(chain) => books.get(chain) ?? null}
              marked={marked.value}
              onMark={mark}
            />
          </section>
          {data.more && (
            <button
              type="button"
              class="more"
              onClick={() => {
                count.value += PAGE;
                refresh();
              }}
            >
              Show more
            </button>
          )}
        </>
      )}
    </>
  );
}

interface DifferenceProps {
  rows: readonly ShownReceipt[];
  summaries: FamilySummaries;
  marked: string | null;
  onMark: (id: string | null) => void;
}

function Differences({ rows, summaries, marked, onMark }: DifferenceProps) {
  const points = receiptPoints(rows);
  return (
    <Card
      id="differences-title"
      title="Executed against quoted"
      class="differences"
      aside={
        <dl class="figures">
          {differenceFigures(summaries).map(({ name, bps: value }) => (
            <Figure key={name} name={name} value={<Bps value={value} />} />
          ))}
        </dl>
      }
    >
      {points.length === 0 ? (
        <p class="quiet">No swap has been executed yet: a dot appears here for each that is.</p>
      ) : (
        <ReceiptChart points={points} marked={marked} onMark={onMark} />
      )}
    </Card>
  );
}

const Bps = ({ value }: { value: number | null }) => <span class={`change ${bpsTone(value)}`}>{bps(value)}</span>;

/** What the tokens of each chain are called and how many decimals they have. */
function useBooks(clients: Clients, router: RouterClient): ReadonlyMap<string, CoinBook> {
  const evm = usePolled('chains', CHAINS_MS, (signal) => router.chains({ signal })).data?.chains ?? [];
  const indexed = usePolled('indexed chains', CHAINS_MS, (signal) => clients.rest.chains({ signal })).data?.data ?? [];
  const rows: CoinChain[] = [...evm, ...indexed.filter(isSolana)];
  const chains = rows.map(({ chain }) => chain).join();
  return useMemo(() => new Map(rows.map((row) => [row.chain, new CoinBook(clients.rest, row)])), [clients, chains]);
}
