import type { FastifyRequest } from 'fastify';
import { ChannelPath } from '#libs/serve/contract/live/params.js';
import { EXAMPLE_CHAIN } from '#libs/serve/contract/rest/examples.js';
import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import type { StreamAnswer } from '#libs/serve/http/stream-answer.js';
import { badRequestError, unavailable } from '../../access/api-errors.js';
import { LiveTransports } from './live-transports.js';

const unknownChannel: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'no such channel, or this instance does not index the chain.',
  example: 'no such channel',
};

export const busy: DeclaredError = {
  status: 503,
  code: 'server_busy',
  meaning: 'this listener has as many live connections as it takes; those that are open go on.',
  example: 'too many live connections: try again later',
  retry: true,
};

@Route({
  id: 'openStream',
  method: 'GET',
  path: '/stream/:channel',
  summary: 'One live channel as an event stream',
  description:
    'The parameters of the channel stand in the query; the AsyncAPI document at `/asyncapi.yaml` describes channels and frames. `event` is the type of a frame, `data` the frame, `id` its `epoch:seq`, which a browser sends back as `Last-Event-ID` to go on from there; the query `lastEventId` does the same for a first connection. Parameters are checked before the stream starts. A comment comes every 15 s.',
  parameters: ChannelPath,
  answer: {
    mediaType: 'text/event-stream',
    description: 'Frames of the channel, the snapshot first.',
    example: 'id: 1.1.k3:4711\nevent: snapshot\ndata: {"type":"snapshot","channel":"trades"}\n\n',
  },
  errors: [badRequestError, unknownChannel, unavailable, busy],
  access: 'keyed',
  cost: 'stream',
  cache: 'none',
  readsItself: true,
  described: [
    {
      in: 'header',
      name: 'last-event-id',
      schema: { type: 'string', maxLength: 216, description: 'Where to go on.', examples: ['1.1.k3:4711'] },
    },
    {
      in: 'query',
      name: 'lastEventId',
      schema: {
        type: 'string',
        maxLength: 216,
        pattern: '^.+:\\d{1,15}$',
        description: 'The same in the address.',
        examples: ['1.1.k3:4711'],
      },
    },
    {
      in: 'query',
      name: 'chain',
      schema: {
        type: 'string',
        maxLength: 200,
        description: 'Chain of the channels that have one.',
        examples: [EXAMPLE_CHAIN],
      },
    },
    {
      in: 'query',
      name: 'token',
      schema: {
        type: 'string',
        maxLength: 200,
        description: 'Token of the channels that have one.',
        examples: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
      },
    },
  ],
  headers: { 'x-accel-buffering': 'Always `no`: proxies pass events on at once.' },
})
export class StreamRoute implements RouteHandler<ChannelPath> {
  constructor(private readonly transports: LiveTransports) {}

  handle({ path }: RouteInput<ChannelPath, object>, request: FastifyRequest): StreamAnswer {
    return this.transports.streams.open(path.channel, request);
  }
}
