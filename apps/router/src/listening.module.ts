import { Global, Module, type Provider } from '@nestjs/common';
import { CONFIG } from '#libs/app/modules/tokens.js';
import type { Config, ListenerConfig } from '#libs/platform/config.js';
import { configuredPlace, type ListenerPlace } from '#libs/serve/http/listener-place.js';
import { type RequestClock, systemRequestClock } from '#libs/serve/http/request-limits.js';
import { RequestDeadline } from './http/request-deadline.js';
import { RELAY_PLACE, REQUEST_CLOCK, REQUEST_DEADLINE, ROUTER_PLACE, UTILITIES_PLACE } from './tokens.js';

type ListenerOf = (listeners: Config['listeners']) => ListenerConfig;

const place = (token: symbol, of: ListenerOf): Provider<ListenerPlace> => ({
  provide: token,
  inject: [CONFIG],
  useFactory: ({ listeners, trustProxy }: Config) => configuredPlace(of(listeners), trustProxy),
});

const providers: Provider[] = [
  place(ROUTER_PLACE, ({ base }) => base),
  place(RELAY_PLACE, ({ relay }) => relay),
  place(UTILITIES_PLACE, ({ sol }) => sol),
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
