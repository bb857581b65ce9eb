import { randomUUID } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { FactsPosition, QuoteReceipt } from '#libs/protocol/receipts.js';
import type { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import type { BuildRequest } from '../ports.js';

/**
 * The receipt of a build that was answered. Null for a wrap or unwrap: they go through no pool, so no facts tell whether
 * they were sent, and what they give is known beforehand.
 */
export function receiptOfBuild(
  request: BuildRequest,
  answer: EvmSwapAnswer,
  builtAfter: FactsPosition,
  builtAt: number,
): QuoteReceipt | null {
  const quote = answer.quoteResponse;
  const first = quote.routePlan[0];
  if (first === undefined) return null;
  const { simulation } = answer;
  return {
    id: randomUUID(),
    quoteId: quote.quoteId,
    chain: quote.chain,
    wallet: request.wallet,
    recipient: request.recipient ?? request.wallet,
    inputMint: plain(quote.inputMint),
    outputMint: plain(quote.outputMint),
    inAmount: BigInt(quote.inAmount),
    quotedOut: BigInt(quote.outAmount),
    simulatedOut: BigInt(simulation.outAmount),
    floor: BigInt(quote.otherAmountThreshold),
    slippageBps: quote.slippageBps,
    venueId: first.venueId,
    dex: first.swapInfo.label,
    hops: quote.routePlan.map(({ swapInfo }) => plain(swapInfo.ammKey)),
    quoteBlock: { number: quote.contextSlot, hash: plain(quote.blockHash) },
    buildBlock: { number: simulation.blockNumber, hash: plain(simulation.blockHash) },
    builtAt,
    deadline: Date.parse(answer.expiresAt),
    builtAfter,
    asOf: builtAfter,
    state: 'built',
    decidedAt: null,
    final: false,
    executed: null,
  };
}

const plain = (text: string): Hex => text.replace(/^0x/i, '').toLowerCase();
