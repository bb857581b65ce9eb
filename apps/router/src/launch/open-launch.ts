import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Logger } from '#libs/platform/logger.js';
import type { LaunchDeps } from './launch-deps.js';
import { MemoryCreateLimits } from './limit/create-limits.js';
import type { RedisCreateLimits } from './limit/redis-create-limits.js';
import { LogMetadata } from './metadata/log-metadata.js';

export interface OpenLaunch extends LaunchDeps {
  /** Filled as local chains are made. */
  readonly localNodes: Map<string, string>;
  close(): Promise<void>;
}

export interface LaunchOptions {
  log: EventLog;
  logger: Logger;
  redisUrl: string | null;
  publicUrl: string | null;
  now: () => number;
}

/** What the creates of a process are made with: metadata in the log, and counts in Redis where one is shared. */
export async function openLaunch({ log, logger, redisUrl, publicUrl, now }: LaunchOptions): Promise<OpenLaunch> {
  const metadata = new LogMetadata(log, `launch.${hostname()}.${process.pid}.${randomUUID()}`, now);
  const local = new MemoryCreateLimits(now);
  const shared = redisUrl === null ? null : await openShared({ url: redisUrl, logger, local });
  return {
    ...{ metadata, limits: shared ?? local, localNodes: new Map(), publicUrl },
    close: async () => {
      shared?.close();
      await metadata.close();
    },
  };
}

async function openShared(options: ConstructorParameters<typeof RedisCreateLimits>[0]): Promise<RedisCreateLimits> {
  const { RedisCreateLimits } = await import('./limit/redis-create-limits.js');
  return new RedisCreateLimits(options);
}
