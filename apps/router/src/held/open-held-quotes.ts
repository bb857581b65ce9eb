import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { HeldQuotes } from './held-quotes.js';
import { MemoryHeldQuotes } from './memory-held-quotes.js';

/** Held quotes in the Redis that the configuration names, or in this process. */
export async function openHeldQuotes(
  redisUrl: string | null,
  logger: HttpLogger,
): Promise<{ readonly quotes: HeldQuotes; close(): void }> {
  if (redisUrl === null) return { quotes: new MemoryHeldQuotes(), close: () => undefined };
  const { RedisHeldQuotes } = await import('./redis-held-quotes.js');
  const quotes = new RedisHeldQuotes({ url: redisUrl, logger });
  return { quotes, close: () => quotes.close() };
}
