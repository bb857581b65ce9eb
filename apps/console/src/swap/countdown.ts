import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';

/**
 * Until when a quote can be built, by this device's clock. `expiresAt` is by the router's: where it says something else
 * than the chain's lifetime of a quote allows, the two clocks differ, and the lifetime from the arrival on decides.
 */
export function validUntil(quote: Pick<EvmQuote, 'expiresAt'>, receivedAt: number, lifetimeMs: number): number {
  const stated = Date.parse(quote.expiresAt);
  const latest = receivedAt + lifetimeMs;
  return stated > latest - CLOCKS_DIFFER_MS && stated <= latest ? stated : latest;
}

/** More than any answer takes: requests are cut after ten seconds. */
const CLOCKS_DIFFER_MS = 10_000;

export const secondsLeft = (until: number, now: number): number => Math.max(0, Math.ceil((until - now) / 1_000));
