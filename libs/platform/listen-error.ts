import { TidepoolError } from '#libs/core/errors.js';
import type { ListenerConfig } from './config.js';

/** Turns what listen() reports into a sentence that names the variable to change. Anything else passes unchanged. */
export function listenError(error: unknown, listener: ListenerConfig): unknown {
  const { host, port, variable, hostVariable } = listener;
  switch ((error as NodeJS.ErrnoException)?.code) {
    case 'EADDRINUSE':
      return new TidepoolError(
        'port_in_use',
        `${variable}: port ${port} on ${host} is already in use; stop what uses it or set ${variable} to another port (0 picks a free one)`,
        { cause: error },
      );
    case 'EACCES':
      return new TidepoolError(
        'port_refused',
        `${variable}: this user may not listen on port ${port}; set ${variable} to a port above 1023`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new TidepoolError(
        'address_unavailable',
        `${hostVariable}: ${host} is not an address of this machine; set ${hostVariable} to one it has (127.0.0.1, 0.0.0.0)`,
        { cause: error },
      );
    default:
      return error;
  }
}
