import { heightWords } from '../../format/heights.js';
import { whole } from '../../format/numbers.js';
import { tokenLink } from '../../state/route.js';
import { TableHead } from '../../ui/table-head.js';
import { Trouble } from '../../ui/trouble.js';
import { type Coin, isNative } from '../coins.js';
import { bpsText, differenceInHundredths, shownAmount } from '../units.js';
import type { Outcome, RunState } from './demo-run.js';

/** The result of the swap, compared with the quote. */
export function RunPanel(props: { state: Omit<RunState, 'steps'>; chain: string; input: Coin; output: Coin }) {
  const { state, chain, input, output } = props;
  const height = heightWords(chain).one;
  if (state.name === 'failed') return <Trouble text={state.trouble} />;
  if (state.outcome === null) {
    return (
      <p class="quiet" role="status">
        The local chain takes it into one of its next {heightWords(chain).many}.
      </p>
    );
  }
  const { outcome } = state;
  const token = isNative(output) ? input : output;
  return (
    <div class="outcome" role="status" data-landed={outcome.block} data-received={outcome.received}>
      <p class="outcome-line">
        <strong>
          {shownAmount(outcome.received, output.decimals)} {output.symbol}
        </strong>{' '}
        received in {height} {whole(outcome.block)}, <Difference outcome={outcome} /> against the quote
      </p>
      {outcome.replaced && (
        <Trouble
          text={`A reorg has replaced that ${height}. The balances tell whether the swap came again in another one.`}
        />
      )}
      <table class="balances">
        <TableHead columns={['Wallet', ['Before', 'number'], ['After', 'number']]} />
        <tbody>
          <BalanceRow coin={input} before={outcome.before.input} after={outcome.after.input} />
          <BalanceRow coin={output} before={outcome.before.output} after={outcome.after.output} />
        </tbody>
      </table>
      <p class="quiet">
        The <a href={tokenLink(chain, token.address)}>trades of {token.symbol}</a> show it, and the{' '}
        <a href="#/receipts">receipts</a> keep it.
      </p>
    </div>
  );
}

function Difference({ outcome }: { outcome: Outcome }) {
  const difference = differenceInHundredths(outcome.received, outcome.quoted);
  const tone = difference === null || difference === 0n ? 'flat' : difference > 0n ? 'up' : 'down';
  return (
    <span class={`change ${tone}`} data-difference={difference ?? ''}>
      {bpsText(difference)}
    </span>
  );
}

function BalanceRow({ coin, before, after }: { coin: Coin; before: bigint; after: bigint }) {
  return (
    <tr>
      <th scope="row">{coin.symbol}</th>
      <td class="number">{shownAmount(before, coin.decimals)}</td>
      <td class="number">{shownAmount(after, coin.decimals)}</td>
    </tr>
  );
}
