import { Redis } from 'ioredis';
import type { HttpLogger } from '#libs/http/listener.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { HeldQuotes } from '../ports.js';
import { HeldQuotesAwayError } from './held-quotes-away.js';

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
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Held quotes that every router behind one address shares. Redis lets go of them by itself, at the end of their time. A
 * command is sent once and never queued: when Redis is away the caller hears it at once, or after the time-out of one
 * command when Redis merely says nothing; the connection is made, and made again, in the background.
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

  async hold(quote: Pick<EvmQuote, 'quoteId'>, lifetimeMs: number, json = JSON.stringify(quote)): Promise<void> {
    await this.ask(() => this.redis.set(this.prefix + quote.quoteId, json, 'PX', lifetimeMs));
  }

  async find(quoteId: string): Promise<EvmQuote | null> {
    // Ids of other shapes were never given out, and never become part of a key.
    if (!UUID.test(quoteId)) return null;
    const json = await this.ask(() => this.redis.get(this.prefix + quoteId));
    return json === null ? null : (JSON.parse(json) as EvmQuote);
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
      // Without a connection its own events tell; while the first one is being made there is nothing to tell.
      if (this.redis.status === 'ready') this.lost(error);
      throw new HeldQuotesAwayError(error);
    }
  }

  /** Said once, until it answers again. */
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
