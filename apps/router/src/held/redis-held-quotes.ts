import type { Redis } from 'ioredis';
import { RedisLink } from '#libs/platform/redis-link.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { type HeldQuotes, QUOTE_ID } from './held-quotes.js';
import { QuoteStoreUnavailableError } from './quote-store-unavailable.js';

export interface RedisHeldQuotesOptions {
  /** redis or rediss, credentials allowed. It never reaches a log. */
  url: string;
  logger: HttpLogger;
  keyPrefix?: string;
  /** How long one command may take. */
  timeoutMs?: number;
}

const PREFIX = 'tidepool:quote:';
const TIMEOUT_MS = 1_000;

/** Held quotes that every router behind one address shares. Redis drops each at the end of its lifetime. */
export class RedisHeldQuotes implements HeldQuotes {
  private readonly link: RedisLink;
  private readonly prefix: string;

  constructor({ url, logger, keyPrefix = PREFIX, timeoutMs = TIMEOUT_MS }: RedisHeldQuotesOptions) {
    this.prefix = keyPrefix;
    const without = 'quotes and builds are refused';
    this.link = new RedisLink({ url, timeoutMs, logger, name: 'held quotes', without });
  }

  async hold(quoteId: string, json: string, lifetimeMs: number): Promise<void> {
    await this.ask((redis) => redis.set(this.prefix + quoteId, json, 'PX', lifetimeMs));
  }

  async find(quoteId: string): Promise<string | null> {
    if (!QUOTE_ID.test(quoteId)) return null;
    return this.ask((redis) => redis.get(this.prefix + quoteId));
  }

  close(): void {
    this.link.close();
  }

  private async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      const answer = await command(this.link.redis);
      this.link.back();
      return answer;
    } catch (error) {
      // Without a connection its own events report the loss.
      if (this.link.ready) this.link.lost(error);
      throw new QuoteStoreUnavailableError(error);
    }
  }
}
