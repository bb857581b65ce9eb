import type { DynamicModule, Provider } from '@nestjs/common';
import { ACCOUNTS, CLOCK, LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ListenerPlace } from '#libs/serve/http/listener-place.js';
import { type RequestClock, systemRequestClock } from '#libs/serve/http/request-limits.js';
import { RequestDeadline } from '../src/http/request-deadline.js';
import { REQUEST_CLOCK, REQUEST_DEADLINE } from '../src/tokens.js';

/** What each of the router's listeners is made of; a test or a bench gives it in place of the modules of a process. */
export interface ListenerParts {
  /** A free port of 127.0.0.1 without it. */
  readonly place?: Partial<ListenerPlace>;
  /** null: the listener asks for no keys. */
  readonly accounts: Accounts | null;
  readonly logger: HttpLogger;
  readonly version: string;
  /** Unix ms. */
  readonly now?: (() => number) | undefined;
  /** When a request is cut; 10 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Measures the time of a request; the system's. */
  readonly clock?: RequestClock | undefined;
}

/** Provides the parts for all modules of an application, by the tokens under which a process provides them. */
export function givenParts(parts: ListenerParts, place: symbol, ...more: readonly Provider[]): DynamicModule {
  const { accounts, logger, version, now = Date.now, requestTimeoutMs, clock = systemRequestClock } = parts;
  const providers: Provider[] = [
    { provide: place, useValue: { bind: '127.0.0.1', port: 0, ...parts.place } },
    { provide: ACCOUNTS, useValue: accounts },
    { provide: LOGGER, useValue: logger },
    { provide: VERSION, useValue: version },
    { provide: CLOCK, useValue: now },
    { provide: REQUEST_CLOCK, useValue: clock },
    { provide: REQUEST_DEADLINE, useValue: new RequestDeadline(requestTimeoutMs, clock) },
    ...more,
  ];
  return { module: GivenParts, global: true, providers, exports: providers };
}

class GivenParts {}
