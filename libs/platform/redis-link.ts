import { Redis } from 'ioredis';

const RETRY_MS = 1_000;

export interface RedisLinkOptions {
  /** redis or rediss, credentials allowed. It never reaches a log. */
  readonly url: string;
  /** How long one command may take. */
  readonly timeoutMs: number;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** For the log: whose link it is, and what follows while Redis does not answer. */
  readonly name: string;
  readonly without: string;
}

/**
 * A connection to Redis. A command is sent once and never queued: without a connection it fails at once, and after the
 * time-out of one command when Redis is silent; the connection is made, and made again, in the background. A loss is logged
 * once, until Redis answers again.
 */
export class RedisLink {
  readonly redis: Redis;
  private away = false;
  private closed = false;

  constructor(private readonly options: RedisLinkOptions) {
    const { url, timeoutMs } = options;
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

  get ready(): boolean {
    return this.redis.status === 'ready';
  }

  close(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  lost(error: unknown): void {
    if (this.away || this.closed) return;
    this.away = true;
    const { logger, name, without } = this.options;
    // Not the message: it may carry the address, and with it credentials.
    const { code, name: kind } = error as NodeJS.ErrnoException;
    logger.warn({ code: code ?? kind }, `${name}: Redis does not answer; ${without}`);
  }

  back(): void {
    if (!this.away) return;
    this.away = false;
    this.options.logger.info({}, `${this.options.name}: Redis answers again`);
  }
}
