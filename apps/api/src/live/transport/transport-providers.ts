import type { Provider } from '@nestjs/common';
import { LiveTransports } from './live-transports.js';
import { GatewayAdapter } from './socket-io/gateway-adapter.js';
import { LiveGateway } from './socket-io/live.gateway.js';
import { SocketIoServer } from './socket-io/socket-io-server.js';
import { TransportCounters } from './transport-counters.js';

/** The transports into the LiveHub of their module, with the settings, the accounts and the log that are provided there. */
export const transportProviders: Provider[] = [
  TransportCounters,
  SocketIoServer,
  GatewayAdapter,
  LiveGateway,
  LiveTransports,
];
