import type { Config } from '#libs/platform/config.js';
import type { LiveClock, LiveLimits } from '#libs/serve/live/live-options.js';

/** How the live interface treats its connections. */
export interface LiveSettings {
  /** Most live connections of one listener. */
  readonly maxConnections: number;
  /** How often a connection must show that it is alive, and its key is looked at again. */
  readonly keepAliveMs: number;
  /** How often a quiet event stream carries a comment. */
  readonly heartbeatMs: number;
  readonly limits?: Partial<LiveLimits>;
  /** For what channels do at times of their own; that of the system without it. */
  readonly clock?: LiveClock;
}

/** With the usual value where none is given. */
export const liveSettings = ({
  maxConnections = 5_000,
  keepAliveMs = 30_000,
  heartbeatMs = 15_000,
  ...rest
}: Partial<LiveSettings> = {}): LiveSettings => ({ maxConnections, keepAliveMs, heartbeatMs, ...rest });

/** What the environment says of the live interface. */
export const configuredLiveSettings = ({ live }: Pick<Config, 'live'>): LiveSettings =>
  liveSettings({ maxConnections: live.maxConnections, limits: { bufferBytes: live.bufferBytes } });
