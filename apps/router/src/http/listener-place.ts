import { createListener, type Listener, type ListenerOptions } from '#libs/serve/http/listener.js';

/** Where a listener opens, and which proxies it trusts to name a client's address. */
export interface ListenerPlace {
  readonly bind: string;
  readonly port: number;
  readonly trustProxy?: boolean | number | string[];
  /** Turns the error of a listener that cannot open into one that says what to change; absent: the error stays as it is. */
  readonly explain?: (error: unknown) => unknown;
}

export const openListener = (
  { bind, port, trustProxy, explain }: ListenerPlace,
  options: Omit<ListenerOptions, 'host' | 'port' | 'trustProxy'>,
): Promise<Listener> =>
  createListener({ ...options, host: bind, port, trustProxy }).catch((error: unknown) => {
    throw explain === undefined ? error : explain(error);
  });
