import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock, FactsGroup, TradeFact } from '#libs/protocol/facts.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';

export interface NaiveState {
  state: string;
  tx: Hex | null;
  seq: number | null;
  paid: bigint | null;
  out: bigint | null;
  final: boolean;
}

/** What the surviving chain says of receipts, by going through all of it. */
export function naiveStates(
  receipts: readonly QuoteReceipt[],
  blocks: readonly FactsBlock[],
  groups: readonly FactsGroup[],
  coin: Hex,
): Map<string, NaiveState> {
  const oldestFirst = [...receipts].sort((a, b) => a.builtAt - b.builtAt || (a.id < b.id ? -1 : 1));
  const states = new Map<string, NaiveState>();
  const isSealed = ({ seq, height }: FactsBlock) =>
    groups.some((group) => group.kind === 'finalize' && group.seq > seq && group.height >= height);
  const settle = (block: FactsBlock, tx: Hex): boolean => {
    const all = block.trades.filter((trade) => trade.tx === tx);
    const sentBy = (wallet: Hex, token: Hex) =>
      block.transfers
        .filter((transfer) => transfer.tx === tx && transfer.from === wallet && transfer.token === token)
        .reduce((sum, transfer) => sum + transfer.amount, 0n);
    for (const wallet of new Set(all.map((trade) => trade.wallet))) {
      for (const receipt of oldestFirst) {
        if (states.has(receipt.id) || !isAfter(receipt, block) || isTooLate(receipt, block)) continue;
        if (wallet !== receipt.wallet) continue;
        const own = all.filter((trade) => trade.wallet === wallet);
        const moved = naiveAmounts(receipt, own, sentBy(wallet, receipt.inputMint), coin);
        if (moved === null) continue;
        states.set(receipt.id, { state: 'executed', tx, seq: block.seq, ...moved, final: isSealed(block) });
        return true;
      }
    }
    return false;
  };
  for (const block of blocks) {
    for (const tx of new Set(block.trades.map((trade) => trade.tx))) settle(block, tx);
    for (const receipt of oldestFirst) {
      if (states.has(receipt.id) || !isAfter(receipt, block) || !isTooLate(receipt, block)) continue;
      const { seq } = block;
      states.set(receipt.id, { state: 'expired', tx: null, seq, paid: null, out: null, final: isSealed(block) });
    }
  }
  for (const { id } of receipts)
    if (!states.has(id)) states.set(id, { state: 'built', tx: null, seq: null, paid: null, out: null, final: false });
  return states;
}

/** Epoch 0: the router knew no group yet when it built. */
const isAfter = (receipt: QuoteReceipt, block: FactsBlock): boolean =>
  receipt.builtAfter.epoch === 0 ? block.height > receipt.buildBlock.number : block.seq > receipt.builtAfter.seq;

/** By the clock, and on Solana by the slots as well. */
const isTooLate = ({ deadline, lastHeight }: QuoteReceipt, { time, height }: FactsBlock): boolean =>
  time > deadline && height > lastHeight;

const isNative = (mint: Hex): boolean => /^e+$/.test(mint);

/** Every way to place the route over the trades, the earliest first: what the wallet paid and got. */
function naiveAmounts(
  receipt: QuoteReceipt,
  trades: readonly TradeFact[],
  sent: bigint,
  coin: Hex,
): { paid: bigint; out: bigint } | null {
  const token = (mint: Hex) => (isNative(mint) ? coin : mint);
  const flows = trades.map((trade) => {
    const base = { token: trade.base, amount: trade.baseAmount };
    const quote = { token: trade.quote, amount: trade.quoteAmount };
    return trade.side === 'sell'
      ? { pool: trade.pool, in: base, out: quote }
      : { pool: trade.pool, in: quote, out: base };
  });
  const { exact, legs, feeBps, threshold } = receipt;
  const isTaxed = sent === receipt.inAmount && !isNative(receipt.inputMint);
  for (let start = 0; start < flows.length; start++) {
    let rest = flows.slice(start);
    const taken: { paid: bigint; out: bigint }[] = [];
    for (const { hops, amount, leastIn } of legs) {
      let wanted = token(receipt.inputMint);
      const chain: typeof flows = [];
      for (const { pool } of hops) {
        const at = rest.findIndex((flow) => flow.pool === pool && flow.in.token === wanted);
        const isFirst = taken.length === 0 && chain.length === 0;
        if (at < 0 || (isFirst && at > 0)) break;
        wanted = rest[at]!.out.token;
        chain.push(rest[at]!);
        rest = rest.slice(at + 1);
      }
      if (chain.length < hops.length || wanted !== token(receipt.outputMint)) break;
      const [paid, out] = [chain[0]!.in.amount, chain[chain.length - 1]!.out.amount];
      const isAmount =
        exact === 'out' ? out === amount : paid === amount || (paid < amount && (paid >= leastIn || isTaxed));
      if (!isAmount) break;
      taken.push({ paid, out });
    }
    if (taken.length < legs.length) continue;
    const paid = taken.reduce((sum, leg) => sum + leg.paid, 0n);
    const out = taken.reduce((sum, leg) => sum + leg.out, 0n);
    const fee = ((exact === 'in' ? out : paid) * BigInt(feeBps)) / 10_000n;
    if (exact === 'in' && out - fee >= threshold) return { paid: receipt.inAmount, out: out - fee };
    if (exact === 'out' && paid + fee <= threshold) return { paid: paid + fee, out };
  }
  return null;
}
