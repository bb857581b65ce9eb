import { startApplication } from '#libs/app/application.js';
import type { ApiParts } from './access/api-parts.js';
import { ApiModule } from './api.module.js';
import { ApiListener } from './api-listener.js';
import { type LiveStatus, LiveTransports } from './live/transport/live-transports.js';

export interface RunningApi {
  readonly url: string;
  liveStatus(): LiveStatus;
  /** Opens a listener that has the live interface alone; its address. It ends with the api. */
  serveSockets(place: { bind: string; port: number }): Promise<string>;
  close(): Promise<void>;
}

/** The market-data API, running: a Nest application whose start opens its listener and whose end closes it. */
export async function createApi(parts: ApiParts): Promise<RunningApi> {
  const app = await startApplication(ApiModule.over(parts));
  const listener = app.get(ApiListener);
  const transports = app.get(LiveTransports);
  return {
    url: listener.url,
    liveStatus: () => transports.status(),
    serveSockets: (place) => listener.serveSockets(place),
    close: () => app.close(),
  };
}
