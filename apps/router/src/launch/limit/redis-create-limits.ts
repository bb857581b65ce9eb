import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from '#libs/platform/logger.js';
import { MOST_CREATES } from '../launch-problem.js';
import { type CreateLimits, WINDOW_MS } from './create-limits.js';

const PREFIX = 'tidepool:launch:';
const TIMEOUT_MS = 500;

/** KEYS[1]: creates of a client, scored by the clock of Redis. Answers the ms to wait, 0 where this one is counted. */
const TAKE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local window, most = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) >= most then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return tonumber(oldest[2]) + window - now
end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('PEXPIRE', KEYS[1], window)
return 0
`;

interface Scripted extends Redis {
  takeCreate(key: string, ...args: (string | number)[]): Promise<number>;
}

export interface RedisCreateLimitsOptions {
  /** redis or rediss, credentials allowed. It never reaches a log. */
  url: string;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Counts while Redis is away. */
  local: CreateLimits;
  keyPrefix?: string;
  timeoutMs?: number;
}

/** Counted by every process of one Redis; by this process alone while Redis does not answer. */
export class RedisCreateLimits implements CreateLimits {
  private readonly redis: Scripted;
  private away = false;
  private closed = false;

  constructor(private readonly options: RedisCreateLimitsOptions) {
    const { url, timeoutMs = TIMEOUT_MS } = options;
    this.redis = new Redis(url, {
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (times) => Math.min(1_000, times * 50),
    }) as Scripted;
    this.redis.defineCommand('takeCreate', { numberOfKeys: 1, lua: TAKE });
    this.redis.on('error', (error) => this.lost(error));
    this.redis.on('close', () => this.lost(new Error('the connection ended')));
    this.redis.on('ready', () => this.back());
  }

  get ready(): boolean {
    return this.redis.status === 'ready';
  }

  async take(client: string): Promise<number> {
    if (!this.ready) return this.options.local.take(client);
    try {
      const key = (this.options.keyPrefix ?? PREFIX) + client;
      return await this.redis.takeCreate(key, WINDOW_MS, MOST_CREATES, randomUUID());
    } catch (error) {
      this.lost(error);
      return this.options.local.take(client);
    }
  }

  close(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  /** Logged once, until Redis answers again. Not the message: it may carry the address, and with it credentials. */
  private lost(error: unknown): void {
    if (this.away || this.closed) return;
    this.away = true;
    const { code, name } = error as NodeJS.ErrnoException;
    this.options.logger.warn(
      { code: code ?? name },
      'launch: Redis does not answer; each process counts its own creates',
    );
  }

  private back(): void {
    if (!this.away) return;
    this.away = false;
    this.options.logger.info({}, 'launch: Redis answers again');
  }
}
