import type { Config } from '#libs/platform/config.js';
import type { LiveConfig } from '../../access/api-deps.js';

/** What the environment says of the live interface, as the api takes it. */
export const liveConfig = ({ live }: Pick<Config, 'live'>): LiveConfig => ({
  maxConnections: live.maxConnections,
  limits: { bufferBytes: live.bufferBytes },
});
