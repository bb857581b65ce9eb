import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from '#libs/platform/logger.js';
import { RedisLink } from '#libs/platform/redis-link.js';
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
  private readonly link: RedisLink;
  private readonly redis: Scripted;

  constructor(private readonly options: RedisCreateLimitsOptions) {
    const { url, logger, timeoutMs = TIMEOUT_MS } = options;
    const without = 'each process counts its own creates';
    this.link = new RedisLink({ url, timeoutMs, logger, name: 'launch', without });
    this.redis = this.link.redis as Scripted;
    this.redis.defineCommand('takeCreate', { numberOfKeys: 1, lua: TAKE });
  }

  get ready(): boolean {
    return this.link.ready;
  }

  async take(client: string): Promise<number> {
    if (!this.ready) return this.options.local.take(client);
    try {
      const key = (this.options.keyPrefix ?? PREFIX) + client;
      return await this.redis.takeCreate(key, WINDOW_MS, MOST_CREATES, randomUUID());
    } catch (error) {
      this.link.lost(error);
      return this.options.local.take(client);
    }
  }

  close(): void {
    this.link.close();
  }
}
