import { Global, Module, type Provider } from '@nestjs/common';
import { CONFIG } from '#libs/app/modules/tokens.js';
import type { Config } from '#libs/platform/config.js';
import { listenError } from '#libs/platform/listen-error.js';
import { Runtime } from '#libs/platform/runtime.js';
import { type RequestClock, systemRequestClock } from '#libs/serve/http/request-limits.js';
import type { ListenerPlace } from './http/listener-place.js';
import { RequestDeadline } from './http/request-deadline.js';
import { RELAY_PLACE, REQUEST_CLOCK, REQUEST_DEADLINE, ROUTER_PLACE, UTILITIES_PLACE, VERSION } from './tokens.js';

const place = (token: symbol, name: keyof Config['listeners']): Provider<ListenerPlace> => ({
  provide: token,
  inject: [CONFIG],
  useFactory: ({ listeners, trustProxy }: Config) => {
    const { host: bind, port } = listeners[name];
    return { bind, port, trustProxy, explain: (error) => listenError(error, listeners[name]) };
  },
});

const providers: Provider[] = [
  place(ROUTER_PLACE, 'base'),
  place(RELAY_PLACE, 'relay'),
  place(UTILITIES_PLACE, 'sol'),
  { provide: VERSION, inject: [Runtime], useFactory: ({ version }: Runtime) => version },
  { provide: REQUEST_CLOCK, useValue: systemRequestClock },
  {
    provide: REQUEST_DEADLINE,
    inject: [REQUEST_CLOCK],
    useFactory: (clock: RequestClock) => new RequestDeadline(undefined, clock),
  },
];

/** Where the router, the relay and the utilities listen, and when they cut a request. */
@Global()
@Module({ providers, exports: providers })
export class ListeningModule {}
