import type { EvmReceipt } from '#libs/protocol/rest/evm/receipt-body.js';
import { shortId, UNKNOWN, whole } from '../format/numbers.js';
import { ago, fullTime } from '../format/times.js';
import { now } from '../state/clock.js';
import { swapLink } from '../state/route.js';
import { type CoinBook, coinName } from '../swap/coins.js';
import { shownAmount } from '../swap/units.js';
import { CopyButton } from '../ui/copy-button.js';
import { bps, bpsTone, stateWords } from './receipt-words.js';

interface TableProps {
  receipts: readonly EvmReceipt[];
  book: (chain: string) => CoinBook | null;
  marked: string | null;
  onMark: (id: string | null) => void;
}

/** What was promised and what was given, newest first. */
export function ReceiptTable({ receipts, book, marked, onMark }: TableProps) {
  return (
    <table class="receipts">
      <thead>
        <tr>
          <th scope="col" class="receipt-time">
            Built
          </th>
          <th scope="col">Swap</th>
          <th scope="col" class="receipt-venue">
            Venue
          </th>
          <th scope="col" class="number receipt-quoted">
            Quoted
          </th>
          <th scope="col" class="number receipt-executed">
            Executed
          </th>
          <th scope="col" class="number">
            Difference
          </th>
          <th scope="col" class="receipt-state">
            State
          </th>
        </tr>
      </thead>
      <tbody>
        {receipts.map((receipt) => (
          <Row key={receipt.id} {...{ receipt, book, onMark }} marked={receipt.id === marked} />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: Omit<TableProps, 'receipts' | 'marked'> & { receipt: EvmReceipt; marked: boolean }) {
  const { receipt, book, marked, onMark } = props;
  const { chain, executed, inputMint, outputMint } = receipt;
  const coins = book(chain);
  const [input, output] = [coins?.get(inputMint) ?? null, coins?.get(outputMint) ?? null];
  const { word, tone } = stateWords(receipt, now.value);
  const built = Date.parse(receipt.builtAt);
  const difference = executed?.differenceBps ?? null;
  const inOutput = (units: string): string => (output === null ? '…' : shownAmount(BigInt(units), output.decimals));
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
          {input === null ? '…' : shownAmount(BigInt(receipt.inAmount), input.decimals)}{' '}
          {input?.symbol ?? shortId(inputMint)} → {output?.symbol ?? shortId(outputMint)}
        </a>
        <small>
          by {shortId(receipt.wallet)}
          <CopyButton text={receipt.wallet} what="the wallet" />
        </small>
      </th>
      <td class="receipt-venue">
        {receipt.dex}
        <small>{receipt.pools.length === 1 ? 'one pool' : `${receipt.pools.length} pools`}</small>
      </td>
      <td class="number receipt-quoted">
        {inOutput(receipt.quotedOut)}
        <small>block {whole(receipt.quoteBlock.number)}</small>
      </td>
      <td class="number receipt-executed">
        {executed === null ? UNKNOWN : inOutput(executed.outAmount)}
        {executed !== null && <small title={executed.tx}>block {whole(executed.block)}</small>}
      </td>
      <td class="number">
        <span class={`change ${bpsTone(difference)}`}>{bps(difference)}</span>
        {executed !== null && (
          <small>
            {executed.blocksLater} {executed.blocksLater === 1 ? 'block' : 'blocks'} later
          </small>
        )}
      </td>
      <td class="receipt-state">
        <span class={`badge badge-${tone}`}>{word}</span>
      </td>
    </tr>
  );
}
