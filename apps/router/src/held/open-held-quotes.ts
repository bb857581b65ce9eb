import type { HttpLogger } from '#libs/http/listener.js';
import type { HeldQuotes } from './held-quotes.js';
import { MemoryHeldQuotes } from './memory-held-quotes.js';
import { RedisHeldQuotes } from './redis-held-quotes.js';

/** Held quotes in the Redis that the configuration names, or in this process. */
export function openHeldQuotes(
  redisUrl: string | null,
  logger: HttpLogger,
): { readonly quotes: HeldQuotes; close(): void } {
  if (redisUrl === null) return { quotes: new MemoryHeldQuotes(), close: () => undefined };
  const quotes = new RedisHeldQuotes({ url: redisUrl, logger });
  return { quotes, close: () => quotes.close() };
}
