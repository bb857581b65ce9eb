import { heights, heightWords } from '../format/heights.js';
import { shortId, UNKNOWN, whole } from '../format/numbers.js';
import { ago, fullTime } from '../format/times.js';
import { now } from '../state/clock.js';
import { swapLink } from '../state/route.js';
import { type Coin, type CoinBook, coinName } from '../swap/coins.js';
import { shownAmount } from '../swap/units.js';
import { CopyButton } from '../ui/copy-button.js';
import { TableHead } from '../ui/table-head.js';
import { bps, bpsTone, stateWords } from './receipt-words.js';
import type { ShownReceipt } from './shown-receipt.js';

interface TableProps {
  receipts: readonly ShownReceipt[];
  book: (chain: string) => CoinBook | null;
  marked: string | null;
  onMark: (id: string | null) => void;
}

const COLUMNS = [
  ['Built', 'receipt-time'],
  'Swap',
  ['Venue', 'receipt-venue'],
  ['Quoted', 'number receipt-quoted'],
  ['Executed', 'number receipt-executed'],
  ['Difference', 'number'],
  ['State', 'receipt-state'],
] as const;

/** What was promised and what was given, newest first. */
export function ReceiptTable({ receipts, book, marked, onMark }: TableProps) {
  return (
    <table class="receipts">
      <TableHead columns={COLUMNS} />
      <tbody>
        {receipts.map((receipt) => (
          <Row key={receipt.id} {...{ receipt, book, onMark }} marked={receipt.id === marked} />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: Omit<TableProps, 'receipts' | 'marked'> & { receipt: ShownReceipt; marked: boolean }) {
  const { receipt, book, marked, onMark } = props;
  const { chain, executed, measured } = receipt;
  const coins = book(chain);
  const [inputMint, outputMint] = [receipt.inputMint, receipt.outputMint].map(
    (mint) => coins?.swapped(mint) ?? mint,
  ) as [string, string];
  const [input, output] = [coins?.get(inputMint) ?? null, coins?.get(outputMint) ?? null];
  const [exact, other] = measured === 'out' ? [input, output] : [output, input];
  const { word, tone } = stateWords(receipt, now.value);
  const built = Date.parse(receipt.builtAt);
  const difference = executed?.differenceBps ?? null;
  const amountOf = (coin: Coin | null, units: string): string =>
    coin === null ? '…' : shownAmount(BigInt(units), coin.decimals);
  const given = amountOf(exact, receipt.amount);
  const height = heightWords(chain).one;
  return (
    <tr
      class={marked ? 'marked' : undefined}
      data-receipt={receipt.id}
      data-state={receipt.state}
      onPointerEnter={() => onMark(receipt.id)}
      onPointerLeave={() => onMark(null)}
    >
      <td class="receipt-time" title={fullTime(built)}>
        {ago(built, now.value)}
        <small>{chain}</small>
      </td>
      <th scope="row">
        <a href={swapLink({ chain, input: coinName(inputMint), output: coinName(outputMint) })}>
          {measured === 'out' && `${given} `}
          {input?.symbol ?? shortId(inputMint)} → {measured === 'in' && `${given} `}
          {output?.symbol ?? shortId(outputMint)}
        </a>
        <small>
          by {shortId(receipt.wallet)}
          <CopyButton text={receipt.wallet} what="the wallet" />
        </small>
      </th>
      <td class="receipt-venue">
        {receipt.dex}
        <small>{receipt.pools === 1 ? 'one pool' : `${receipt.pools} pools`}</small>
      </td>
      <td class="number receipt-quoted">
        {amountOf(other, receipt.quoted)}
        <small>
          {height} {whole(receipt.quotedAt)}
        </small>
      </td>
      <td class="number receipt-executed">
        {executed === null ? UNKNOWN : amountOf(other, executed.amount)}
        {executed !== null && (
          <small title={executed.tx}>
            {height} {whole(executed.height)}
          </small>
        )}
      </td>
      <td class="number">
        <span class={`change ${bpsTone(difference)}`}>{bps(difference)}</span>
        {executed !== null && (
          <small>
            {executed.later} {heights(chain, executed.later)} later
          </small>
        )}
      </td>
      <td class="receipt-state">
        <span class={`badge badge-${tone}`}>{word}</span>
      </td>
    </tr>
  );
}
