import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock, FactsGroup, TradeFact } from '#libs/protocol/facts.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import { WRAPPED } from './receipt-world.js';

export interface NaiveState {
  state: string;
  tx: Hex | null;
  seq: number | null;
  out: bigint | null;
  final: boolean;
}

/** What the surviving chain says of receipts, by going through all of it. */
export function naiveStates(
  receipts: readonly QuoteReceipt[],
  blocks: readonly FactsBlock[],
  groups: readonly FactsGroup[],
): Map<string, NaiveState> {
  const oldestFirst = [...receipts].sort((a, b) => a.builtAt - b.builtAt || (a.id < b.id ? -1 : 1));
  const states = new Map<string, NaiveState>();
  const isSealed = ({ seq, height }: FactsBlock) =>
    groups.some((group) => group.kind === 'finalize' && group.seq > seq && group.height >= height);
  for (const block of blocks) {
    for (const tx of new Set(block.trades.map((trade) => trade.tx))) {
      const trades = block.trades.filter((trade) => trade.tx === tx);
      const sentBy = (wallet: Hex, token: Hex) =>
        block.transfers
          .filter((transfer) => transfer.tx === tx && transfer.from === wallet && transfer.token === token)
          .reduce((sum, transfer) => sum + transfer.amount, 0n);
      for (const receipt of oldestFirst) {
        if (states.has(receipt.id) || !isAfter(receipt, block) || block.time > receipt.deadline) continue;
        if (trades[0]!.wallet !== receipt.wallet) continue;
        const out = naiveOutput(receipt, trades, sentBy(receipt.wallet, receipt.inputMint));
        if (out === null) continue;
        states.set(receipt.id, { state: 'executed', tx, seq: block.seq, out, final: isSealed(block) });
        break;
      }
    }
    for (const receipt of oldestFirst) {
      if (states.has(receipt.id) || !isAfter(receipt, block) || block.time <= receipt.deadline) continue;
      states.set(receipt.id, { state: 'expired', tx: null, seq: block.seq, out: null, final: isSealed(block) });
    }
  }
  for (const { id } of receipts)
    if (!states.has(id)) states.set(id, { state: 'built', tx: null, seq: null, out: null, final: false });
  return states;
}

/** Epoch 0: the router knew no group yet when it built. */
const isAfter = (receipt: QuoteReceipt, block: FactsBlock): boolean =>
  receipt.builtAfter.epoch === 0 ? block.height > receipt.buildBlock.number : block.seq > receipt.builtAfter.seq;

/** Every way to lay the route over the trades, the earliest first. */
function naiveOutput(receipt: QuoteReceipt, trades: readonly TradeFact[], sent: bigint): bigint | null {
  const token = (mint: Hex) => (/^e+$/.test(mint) ? WRAPPED : mint);
  const flows = trades.map((trade) => {
    const base = { token: trade.base, amount: trade.baseAmount };
    const quote = { token: trade.quote, amount: trade.quoteAmount };
    return trade.side === 'sell'
      ? { pool: trade.pool, in: base, out: quote }
      : { pool: trade.pool, in: quote, out: base };
  });
  for (const [index, first] of flows.entries()) {
    if (first.pool !== receipt.hops[0] || first.in.token !== token(receipt.inputMint)) continue;
    const exact = first.in.amount === receipt.inAmount;
    const taxed = first.in.amount < receipt.inAmount && sent === receipt.inAmount && !/^e+$/.test(receipt.inputMint);
    if (!exact && !taxed) continue;
    let last: (typeof flows)[0] | undefined = first;
    if (receipt.hops.length === 2) {
      const paid = first.out.token;
      last = flows.slice(index + 1).find((flow) => flow.pool === receipt.hops[1] && flow.in.token === paid);
    }
    if (last === undefined || last.out.token !== token(receipt.outputMint)) continue;
    if (last.out.amount >= receipt.floor) return last.out.amount;
  }
  return null;
}
