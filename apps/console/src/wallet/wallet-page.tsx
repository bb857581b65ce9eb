import type { HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import { heightWords } from '../format/heights.js';
import { compactUsd, shortId, whole } from '../format/numbers.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { tokensLink } from '../state/route.js';
import { Card } from '../ui/card.js';
import { CopyButton } from '../ui/copy-button.js';
import { Figure } from '../ui/figure.js';
import { Notice } from '../ui/notice.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { HoldingsTable } from './holdings-table.js';
import { ProfitCard } from './profit-card.js';

const REFRESH_MS = 5_000;
const MOST = 200;

interface WalletPageProps {
  clients: Clients;
  chain: string;
  address: string;
}

/** One wallet on one chain. */
export function WalletPage({ clients, chain, address }: WalletPageProps) {
  usePageTitle(`Wallet ${shortId(address)}`);
  const { data, error } = usePolled(`${chain} ${address}`, REFRESH_MS, (signal) =>
    clients.rest.call('getWalletHoldings', { path: { chain, address }, query: { limit: MOST } }, { signal }),
  );
  return (
    <div class="page wallet-page">
      <section class="wallet-head" aria-labelledby="wallet-title">
        <div>
          <h1 id="wallet-title">
            Wallet <code title={address}>{shortId(address)}</code>
            <CopyButton text={address} what="the address" />
          </h1>
          <p class="quiet">
            <a href={tokensLink(chain)}>{chain}</a>
            {data !== null && (
              <>
                {' '}
                · {heightWords(chain).one} <strong data-block={data.meta.block}>{whole(data.meta.block)}</strong>
              </>
            )}
          </p>
        </div>
        {data !== null && <Totals answer={data} />}
      </section>
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the wallet" />}
      {data === null && error !== null && <Problem error={error} what="This wallet" />}
      {data !== null && <ProfitCard {...{ clients, chain, address }} />}
      {data !== null && <Holdings answer={data} />}
    </div>
  );
}

const totalOf = ({ data }: HoldingsAnswer): number => data.reduce((sum, { valueUsd }) => sum + (valueUsd ?? 0), 0);

function Totals({ answer }: { answer: HoldingsAnswer }) {
  return (
    <dl class="figures">
      <Figure name="Value of its tokens" value={compactUsd(totalOf(answer))} />
      <Figure name="Tokens" value={`${whole(answer.data.length)}${answer.next === null ? '' : '+'}`} />
    </dl>
  );
}

function Holdings({ answer }: { answer: HoldingsAnswer }) {
  if (answer.data.length === 0) {
    return (
      <Notice title="No holdings">
        This wallet holds no token whose transfers were all indexed. The coin of the chain is not counted here.
      </Notice>
    );
  }
  return (
    <Card id="holdings" title="Holdings">
      <HoldingsTable rows={answer.data} totalUsd={totalOf(answer)} />
    </Card>
  );
}
