import { Redis } from 'ioredis';
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
const RETRY_MS = 1_000;

/**
 * Held quotes that every router behind one address shares. Redis drops each at the end of its lifetime. A command is sent
 * once and never queued: without a connection it fails at once, and after the time-out of one command when Redis is
 * silent; the connection is made, and made again, in the background.
 */
export class RedisHeldQuotes implements HeldQuotes {
  private readonly redis: Redis;
  private readonly prefix: string;
  private readonly logger: HttpLogger;
  private away = false;
  private closed = false;

  constructor(options: RedisHeldQuotesOptions) {
    const { url, logger, keyPrefix = PREFIX, timeoutMs = TIMEOUT_MS } = options;
    this.logger = logger;
    this.prefix = keyPrefix;
    this.redis = new Redis(url, {
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (times) => Math.min(RETRY_MS, times * 50),
    });
    this.redis.on('error', (error) => this.lost(error));
    this.redis.on('close', () => this.lost(new Error('the connection ended')));
    this.redis.on('ready', () => this.back());
  }

  async hold(quoteId: string, json: string, lifetimeMs: number): Promise<void> {
    await this.ask(() => this.redis.set(this.prefix + quoteId, json, 'PX', lifetimeMs));
  }

  async find(quoteId: string): Promise<string | null> {
    if (!QUOTE_ID.test(quoteId)) return null;
    return this.ask(() => this.redis.get(this.prefix + quoteId));
  }

  close(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  private async ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      const answer = await command();
      if (this.away) this.back();
      return answer;
    } catch (error) {
      // Without a connection its own events report the loss.
      if (this.redis.status === 'ready') this.lost(error);
      throw new QuoteStoreUnavailableError(error);
    }
  }

  /** Logged once, until Redis answers again. */
  private lost(error: unknown): void {
    if (this.away || this.closed) return;
    this.away = true;
    // Not the message: it may carry the address, and with it credentials.
    const { code, name } = error as NodeJS.ErrnoException;
    this.logger.warn({ code: code ?? name }, 'held quotes: Redis does not answer; quotes and builds are refused');
  }

  private back(): void {
    if (!this.away) return;
    this.away = false;
    this.logger.info({}, 'held quotes: Redis answers again');
  }
}
