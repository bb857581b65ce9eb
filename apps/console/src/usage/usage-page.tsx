import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { AccountPrices, AccountUsage } from '#libs/serve/contract/rest/account-body.js';
import { whole } from '../format/numbers.js';
import { now } from '../state/clock.js';
import { usePolled } from '../state/poll.js';
import { Card } from '../ui/card.js';
import { Figure } from '../ui/figure.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { TableHead } from '../ui/table-head.js';
import { UsageChart } from './usage-chart.js';
import { usageDays, usageRoutes } from './usage-days.js';

const REFRESH_MS = 5_000;
const DAYS = 30;

/** What the account of the key did in the last month, and what it has left. Asking costs no credits. */
export function UsagePage({ rest }: { rest: RestClient }) {
  const { data, error } = usePolled('usage', REFRESH_MS, (signal) =>
    rest.call('getAccountUsage', { query: { days: DAYS } }, { signal }),
  );
  usePageTitle('Usage');
  const account = data?.data ?? null;
  return (
    <div class="page usage-page">
      <div class="page-head">
        <h1>Usage</h1>
        {account !== null && <p class="quiet">{account.name}</p>}
      </div>
      {account === null && error === null && <div class="loading" role="status" aria-label="Loading the usage" />}
      {account === null && error !== null && <Problem error={error} what="The usage" />}
      {account !== null && <Account account={account} />}
    </div>
  );
}

/** Only what is answered well is paid. */
const PRICED: readonly (readonly [keyof AccountPrices, string])[] = [
  ['read', 'A token, a wallet, a page of trades or candles, one call'],
  ['list', 'A list over a chain, a call that lists'],
  ['status', 'The state of chains'],
  ['quote', 'A quote'],
  ['build', 'A transaction that is built'],
  ['stream', 'Opening a live connection'],
  ['minute', 'Each minute of a live connection that begins'],
  ['free', 'This page'],
];

const limit = (value: number | null): string => (value === null ? 'no limit' : whole(value));

function Account({ account }: { account: AccountUsage }) {
  const { credits, usage, prices } = account;
  const renews = new Date(credits.renewsAt).toISOString().slice(0, 10);
  return (
    <>
      <section class="card">
        <dl class="figures">
          <Figure name="Plan" value={account.plan ?? 'none'} />
          <Figure name="Requests a second" value={limit(account.ratePerSecond)} note="all doors together" />
          <Figure
            name="Credits left"
            value={limit(credits.remaining)}
            note={credits.includedPerMonth === null ? null : `renews ${renews}`}
          />
          <Figure name="Spent this month" value={whole(credits.includedSpent)} />
          <Figure name="Spent of grants" value={whole(credits.grantedSpent)} note={`of ${whole(credits.granted)}`} />
        </dl>
      </section>
      <Card id="usage-days" title={`Last ${DAYS} days`}>
        <UsageChart days={usageDays(usage, DAYS, now.value)} />
      </Card>
      <Card id="usage-routes" title="By operation">
        <table>
          <TableHead columns={['Operation', ['Requests', 'number'], ['Credits', 'number'], ['Refused', 'number']]} />
          <tbody>
            {usageRoutes(usage).map(({ route, requests, credits: cost, refused }) => (
              <tr key={route} data-route={route}>
                <th scope="row">{route}</th>
                <td class="number">{whole(requests)}</td>
                <td class="number">{whole(cost)}</td>
                <td class="number">{whole(refused)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      <Card id="usage-prices" title="What a request costs">
        <table>
          <TableHead columns={['Request', ['Credits', 'number']]} />
          <tbody>
            {PRICED.map(([name, words]) => (
              <tr key={name} data-price={name}>
                <th scope="row">{words}</th>
                <td class="number">{whole(prices[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </>
  );
}
