import { stringify } from 'yaml';
import {
  ErrorFrame,
  LaggedFrame,
  PongFrame,
  ResumePoint,
  SubscribedFrame,
  UnsubscribedFrame,
} from '#libs/serve/contract/live/frames.js';
import {
  type JsonSchema,
  type PayloadClass,
  plainExample,
  propertiesOf,
} from '#libs/serve/contract/schema/property.js';
import { exampleOf, SchemaComponents } from '#libs/serve/contract/schema/schema-components.js';
import type { ChannelDeclaration } from '../channel-declaration.js';

export interface DescribedLive {
  title: string;
  description: string;
  channels: readonly ChannelDeclaration[];
}

interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: JsonSchema;
  readonly example: unknown;
}

const ID: JsonSchema = {
  type: ['string', 'integer'],
  description:
    'Names the subscription: 1 to 128 characters or an integer, echoed as given. Without one it is numbered.',
  examples: ['1'],
};

/** Frames that every channel has, and when they come. */
const shared: readonly (readonly [PayloadClass, string])[] = [
  [SubscribedFrame, 'The subscription is accepted; `resumed` says whether a snapshot follows.'],
  [UnsubscribedFrame, 'Nothing more comes under this id.'],
  [LaggedFrame, 'Frames were dropped because they were not read; a snapshot follows.'],
  [ErrorFrame, 'An operation is refused, or a subscription ends; the code is the one that the REST route would give.'],
];

/**
 * The AsyncAPI 3 document of the live interface, as YAML, made from the declarations of its channels. The service
 * receives operations and sends frames; every channel shares the connection.
 */
export function asyncApiDocument({ title, description, channels }: DescribedLive): string {
  const components = new SchemaComponents();
  const described = channels.map((channel) => ({ channel, ...messagesOf(channel, components) }));
  const control = controlMessages(components);
  const document = {
    asyncapi: '3.0.0',
    info: {
      title,
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      api: serverOf('127.0.0.1:4200', 'ws', 'Sockets beside the REST routes, at `/ws` and `/v1/ws`.'),
      sockets: serverOf('127.0.0.1:4201', 'ws', 'A listener that has sockets alone, at `/`, `/ws` and `/v1/ws`.'),
      socketIo: serverOf(
        '127.0.0.1:4200',
        'socketio',
        'Clients of socket.io 3 and 4 with `transports: ["websocket"]`, on both listeners: the namespace `/live`. An operation is an event of that name with the message; every frame is an event `frame`. Before the service breaks off it says why: event `end` with `code` and `reason`.',
      ),
      streams: serverOf(
        '127.0.0.1:4200',
        'http',
        'Event streams: `GET /stream/{channel}` with the parameters of the channel in the query. `event` is the type of a frame, `data` the frame, `id` its `epoch:seq`.',
      ),
    },
    channels: {
      connection: {
        address: '/ws',
        summary: 'What belongs to the connection and not to a channel.',
        messages: messageMap([...control.received, ...control.sent]),
      },
      ...Object.fromEntries(
        described.map(({ channel, subscribe, frames }) => [
          channel.name,
          {
            address: '/ws',
            summary: channel.summary,
            description: `${channel.description === undefined ? '' : `${channel.description} `}The rows are those of the REST operation ${channel.twin}.`,
            messages: messageMap([subscribe, ...frames]),
            'x-cost-class': channel.cost,
          },
        ]),
      ),
    },
    operations: {
      control: operationOf('receive', 'connection', control.received, control.sent),
      ...Object.fromEntries(
        described.flatMap(({ channel, subscribe, frames }) => [
          [`subscribe-${channel.name}`, operationOf('receive', channel.name, [subscribe], frames)],
          [`follow-${channel.name}`, operationOf('send', channel.name, frames)],
        ]),
      ),
    },
    components: {
      schemas: components.all(),
      securitySchemes: {
        header: { type: 'httpApiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
        query: { type: 'httpApiKey', in: 'query', name: 'apiKey' },
      },
    },
  };
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

function serverOf(host: string, protocol: string, description: string): object {
  const security = ['header', 'bearer', 'query'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));
  return { host, protocol, description, security };
}

function messagesOf(channel: ChannelDeclaration, components: SchemaComponents) {
  const { reference } = components;
  const fields = propertiesOf(channel.parameters);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema(reference)]));
  const given = Object.fromEntries(
    fields.filter(({ optional }) => !optional).map(({ name, example }) => [name, example(exampleOf)]),
  );
  const subscribe: Message = {
    name: 'subscribe',
    summary: `Subscribes to ${channel.name}. With \`resume\` the frames after that point follow, if they are still held.`,
    payload: {
      type: 'object',
      properties: {
        op: { type: 'string', enum: ['subscribe'] },
        id: ID,
        channel: { type: 'string', enum: [channel.name] },
        ...properties,
        resume: reference(ResumePoint),
      },
      required: ['op', 'channel', ...required],
    },
    example: { op: 'subscribe', id: plainExample(ID), channel: channel.name, ...given },
  };
  const frames = [
    ...channel.frames.map(({ type, payload, summary }) => frameOf(type, payload, summary, channel.name, components)),
    ...shared.map(([type, summary]) => frameOf(typeOf(type), type, summary, channel.name, components)),
  ];
  return { subscribe, frames };
}

function frameOf(
  name: string,
  type: PayloadClass,
  summary: string,
  channel: string,
  { reference }: SchemaComponents,
): Message {
  const example = exampleOf(type) as Record<string, unknown>;
  if ('channel' in example) example.channel = channel;
  return { name, summary, payload: reference(type), example };
}

/** The value of the field `type` of a frame that every channel has. */
const typeOf = (type: PayloadClass): string => (exampleOf(type) as { type: string }).type;

function controlMessages(components: SchemaComponents): { received: Message[]; sent: Message[] } {
  const operation = (op: string, summary: string, required: string[]): Message => ({
    name: op,
    summary,
    payload: { type: 'object', properties: { op: { type: 'string', enum: [op] }, id: ID }, required },
    example: { op, id: plainExample(ID) },
  });
  return {
    received: [
      operation('unsubscribe', 'Ends a subscription; its id is free again.', ['op', 'id']),
      operation('ping', 'Asks for a sign of life.', ['op']),
    ],
    sent: [
      frameOf('unsubscribed', UnsubscribedFrame, 'Answer to `unsubscribe`.', 'trades', components),
      frameOf('pong', PongFrame, 'Answer to `ping`.', 'trades', components),
      frameOf('error', ErrorFrame, 'An operation is refused.', 'trades', components),
    ],
  };
}

const messageMap = (messages: readonly Message[]): object =>
  Object.fromEntries(
    messages.map(({ name, summary, payload, example }) => [
      name,
      { name, summary, payload, examples: [{ payload: example }] },
    ]),
  );

function operationOf(
  action: 'send' | 'receive',
  channel: string,
  messages: readonly Message[],
  replies: readonly Message[] = [],
): object {
  const to = { $ref: `#/channels/${channel}` };
  const named = (all: readonly Message[]) =>
    all.map(({ name }) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
  return {
    action,
    channel: to,
    messages: named(messages),
    ...(replies.length === 0 ? {} : { reply: { channel: to, messages: named(replies) } }),
  };
}
