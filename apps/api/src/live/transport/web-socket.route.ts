import type { FastifyRequest } from 'fastify';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { refuseUpgrade } from '#libs/serve/http/upgrades.js';
import { badRequestError } from '../../access/api-errors.js';
import { LiveTransports } from './live-transports.js';
import { busy } from './stream.route.js';

/** Answers what is not upgraded: the upgrade itself never becomes a request of a route. */
@Route({
  id: 'openWebSocket',
  method: 'GET',
  path: '/ws',
  summary: 'The live interface as a WebSocket',
  description:
    'The key is checked before the upgrade: a wrong one is an ordinary 401 and never a socket. The AsyncAPI document at `/asyncapi.yaml` describes messages, channels and frames.',
  answer: { mediaType: 'text/plain', description: 'Never sent: an upgrade that is accepted answers 101.', example: '' },
  also: { 101: { type: null, description: 'The connection is a WebSocket from here on.' } },
  errors: [
    badRequestError,
    {
      status: 426,
      code: 'bad_request',
      meaning:
        'the request asks for no WebSocket of version 13; `upgrade` or `sec-websocket-version` says what to ask for.',
      example: 'this path is a WebSocket: connect to it with ws or wss',
    },
    busy,
  ],
  access: 'keyed',
  cost: 'stream',
  cache: 'none',
  readsItself: true,
})
export class WebSocketRoute implements RouteHandler {
  constructor(private readonly transports: LiveTransports) {}

  handle(_input: RouteInput<object, object>, request: FastifyRequest): never {
    throw refuseUpgrade(this.transports.sockets, request.raw);
  }
}
