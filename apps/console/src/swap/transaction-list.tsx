import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmSwapAnswer, EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { shortId } from '../format/numbers.js';
import { CopyButton } from '../ui/copy-button.js';
import type { CoinBook } from './coins.js';
import type { Step } from './demo/demo-run.js';
import { readableDescription } from './description.js';
import { shownAmount } from './units.js';

interface ListProps {
  answer: EvmSwapAnswer;
  row: EvmChainRow;
  book: CoinBook;
  /** The state of each, once they are being signed. */
  steps: readonly Step[] | null;
}

/** The transactions in the order in which they are to be signed. */
export function TransactionList({ answer, row, book, steps }: ListProps) {
  const all = [...answer.setupTransactions, answer.swapTransaction];
  return (
    <ol class="transactions">
      {all.map((transaction, index) => (
        <Transaction
          key={transaction.data}
          row={row}
          book={book}
          transaction={transaction}
          step={steps?.[index] ?? null}
        />
      ))}
    </ol>
  );
}

const stepWords: Readonly<Record<Step['state'], string>> = {
  waiting: 'being signed',
  sent: 'sent, waits for a block',
  landed: 'landed',
  reverted: 'reverted',
};
const stepTones: Readonly<Record<Step['state'], string>> = {
  ...{ waiting: '', sent: 'badge-busy', landed: 'badge-good', reverted: 'badge-bad' },
};

function Transaction(props: Pick<ListProps, 'row' | 'book'> & { transaction: EvmTransaction; step: Step | null }) {
  const { row, book, transaction, step } = props;
  const { symbol, decimals } = row.nativeCurrency;
  const [value, gas, cap] = [transaction.value, transaction.gas, transaction.maxFeePerGas].map(BigInt) as [
    bigint,
    bigint,
    bigint,
  ];
  return (
    <li class="transaction" data-step={step?.state} data-hash={step?.hash}>
      <p class="transaction-head">
        <strong title={transaction.description}>
          {readableDescription(transaction.description, book.coins.value)}
        </strong>
        {step !== null && (
          <span class={`badge ${stepTones[step.state]}`}>
            {stepWords[step.state]}
            {step.block !== null && ` in ${step.block}`}
          </span>
        )}
      </p>
      <p class="quiet transaction-facts">
        <span>
          to <code title={transaction.to}>{shortId(transaction.to)}</code>
        </span>
        {value > 0n && (
          <span>
            sends {shownAmount(value, decimals)} {symbol}
          </span>
        )}
        <span>gas up to {shownAmount(gas, 0)}</span>
        <span>
          fee up to {shownAmount(gas * cap, decimals)} {symbol}
        </span>
      </p>
      <details>
        <summary>
          Call data, {(transaction.data.length - 2) / 2} bytes
          <CopyButton text={JSON.stringify(transaction, null, 2)} what="this transaction as JSON" />
        </summary>
        <pre class="call-data">{transaction.data}</pre>
      </details>
    </li>
  );
}
