import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ListenerConfig } from '#libs/platform/config.js';
import { listenError } from '#libs/platform/listen-error.js';
import { createListener, type Listener, type ListenerOptions } from './listener.js';

/** Where a listener opens, and which proxies it trusts to name a client's address. */
export interface ListenerPlace {
  readonly bind: string;
  readonly port: number;
  readonly trustProxy?: ListenerOptions['trustProxy'];
  /** Turns the error of a listener that cannot open into one that says what to change; absent: the error stays as it is. */
  readonly explain?: (error: unknown) => unknown;
}

/** The place that the configuration names. */
export const configuredPlace = (listener: ListenerConfig, trustProxy: ListenerPlace['trustProxy']): ListenerPlace => ({
  ...{ bind: listener.host, port: listener.port, trustProxy },
  explain: (error) => listenError(error, listener),
});

export const openListener = (
  { bind, port, trustProxy, explain }: ListenerPlace,
  options: Omit<ListenerOptions, 'host' | 'port' | 'trustProxy'>,
): Promise<Listener> =>
  createListener({ ...options, host: bind, port, trustProxy }).catch((error: unknown) => {
    throw explain === undefined ? error : explain(error);
  });

/** A listener of an application: it opens before the stages start and closes before they end. */
export abstract class ModuleListener implements OnModuleInit, OnModuleDestroy {
  private listener: Listener | null = null;

  /** null before it is open, and where this instance has none. */
  get url(): string | null {
    return this.listener?.url ?? null;
  }

  async onModuleInit(): Promise<void> {
    this.listener = await this.open();
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }

  protected abstract open(): Promise<Listener | null>;
}
