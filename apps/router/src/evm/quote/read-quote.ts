import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { EvmQuote, EvmRouteStep } from '#libs/serve/contract/rest/evm/quote-body.js';
import { quoteExpired } from '../../refusal.js';
import type { IssuedQuote, QuotedHop, QuotedRoute } from '../model/evm-quote.js';

/**
 * Turns the text of a held quote back into the value that was priced. It is called once for a build, after the caller's
 * quote was compared with the text. Only our own routers write these texts.
 */
export function readQuote(chain: ChainSpec, body: EvmQuote): IssuedQuote {
  return {
    quoteId: body.quoteId,
    seconds: body.timeTaken,
    expiresAt: Date.parse(body.expiresAt),
    priced: {
      chain,
      inputMint: id(body.inputMint),
      outputMint: id(body.outputMint),
      amountIn: BigInt(body.inAmount),
      amountOut: BigInt(body.outAmount),
      slippageBps: body.slippageBps,
      route: routeOf(chain, body.routePlan),
      router: id(body.router),
      gasEstimate: BigInt(body.gasEstimate),
      candidates: body.candidates,
      head: { height: body.contextSlot, hash: id(body.blockHash) },
      impactBps: body.impactBps ?? null,
      inUsd: body.inUsd ?? null,
      outUsd: body.outUsd ?? null,
      warnings: body.warnings ?? [],
    },
  };
}

function routeOf(chain: ChainSpec, steps: readonly EvmRouteStep[]): QuotedRoute | null {
  const first = steps[0];
  if (first === undefined) return null;
  // A router of another version behind the same store may know venues that this one does not.
  const venue = chain.venues.find((candidate) => candidate.id === first.venueId);
  if (venue === undefined) throw quoteExpired();
  return { venue: venue.venue, hops: steps.map(hopOf) };
}

function hopOf({ swapInfo, fee }: EvmRouteStep): QuotedHop {
  const [from, to] = [id(swapInfo.inputMint), id(swapInfo.outputMint)];
  const zeroForOne = from < to;
  return {
    pool: { id: id(swapInfo.ammKey), token0: zeroForOne ? from : to, token1: zeroForOne ? to : from, feePpm: fee },
    zeroForOne,
    amountIn: BigInt(swapInfo.inAmount),
    amountOut: BigInt(swapInfo.outAmount),
    feeAmount: BigInt(swapInfo.feeAmount),
  };
}

const id = (prefixed: string): Hex => prefixed.slice(2).toLowerCase();
