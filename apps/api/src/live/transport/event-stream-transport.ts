import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { StreamEnd } from '#libs/serve/accounts/account.js';
import { keyIsFull } from '#libs/serve/http/key-check.js';
import { passOf } from '#libs/serve/http/pass.js';
import { badRequest, HttpProblem } from '#libs/serve/http/problem.js';
import { StreamAnswer } from '#libs/serve/http/stream-answer.js';
import { LiveProblem } from '#libs/serve/live/live-problem.js';
import type { LiveStream } from '#libs/serve/live/live-stream.js';
import type { OutFrame } from '#libs/serve/live/outlet.js';
import type { StreamRequest } from '#libs/serve/live/stream-request.js';
import { type Capacity, serverBusy } from './capacity.js';
import { closeCodes, endCodes, endWords } from './close-codes.js';
import { EncodedFrames, eventText, parseEventId } from './encoded-frames.js';
import { EventOutlet } from './event-outlet.js';
import type { TransportDeps } from './transport-deps.js';

/** Nothing between us and the client may keep, change or hold back an event. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: 'last-event-id',
};

/** What a client waits before it connects again. */
const RETRY = 'retry: 2000\n\n';

/** Parameters of the request that are none of the channel's. */
const NOT_OF_THE_CHANNEL = new Set(['apiKey', 'api_key', 'lastEventId']);

const LAST_WORDS: Readonly<Record<StreamEnd, string>> = {
  key: 'this API key is no longer accepted',
  credits: 'this account has no credits left: add some, or wait until its plan renews',
};

const lastFrame = (message: string): OutFrame => ({
  ...{ type: 'error', epoch: null, seq: null },
  text: JSON.stringify({ type: 'error', id: null, code: 'unauthorized', message }),
});

const STATUS: Readonly<Record<string, number>> = {
  bad_request: 400,
  not_found: 404,
  upstream_unavailable: 503,
  server_busy: 503,
};

interface OpenStream {
  readonly outlet: EventOutlet;
  readonly response: ServerResponse;
}

/**
 * One channel as an event stream over plain HTTP. Parameters are checked before the head is sent, so that a wrong one
 * is answered as on every other route; `Last-Event-ID` continues after the last event that the client saw.
 */
export class EventStreamTransport {
  private readonly streams = new Set<OpenStream>();
  private readonly frames = new EncodedFrames(eventText);
  private readonly beats: NodeJS.Timeout;
  private closing = false;

  constructor(
    private readonly capacity: Capacity,
    private readonly deps: TransportDeps,
  ) {
    this.beats = setInterval(() => {
      for (const { outlet } of this.streams) outlet.heartbeat();
    }, deps.heartbeatMs);
    this.beats.unref();
  }

  get connections(): number {
    return this.streams.size;
  }

  /** Ends every stream: clients connect again by themselves. */
  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.beats);
    const gone = [...this.streams].map(
      ({ outlet, response }) =>
        new Promise<void>((done) => {
          response.once('close', () => done());
          outlet.end(closeCodes.restart, 'the service restarts');
        }),
    );
    const cut = setTimeout(() => {
      for (const { response } of this.streams) response.destroy();
    }, 1_000);
    await Promise.all(gone);
    clearTimeout(cut);
  }

  /** One stream of a channel; its parameters are in the query. */
  open(channel: string, request: FastifyRequest): StreamAnswer {
    if (this.closing) throw serverBusy('this instance stops: connect again');
    const wanted = streamRequest(channel, request);
    // An unknown channel is a 404 even then: the hub says so.
    if (!this.capacity.free && this.deps.hub.channelNames.includes(wanted.channel)) {
      this.deps.counters.busy++;
      throw this.capacity.refusal();
    }
    const { accounts, counters } = this.deps;
    const pass = passOf(request.raw);
    if (pass !== null && accounts?.hasRoom(pass.caller) === false) throw keyIsFull();
    const outlet = new EventOutlet(this.frames, counters);
    const stream = this.subscribe(outlet, wanted);
    const release = this.capacity.take();
    const paid = pass && accounts?.openStream(pass.caller, pass.route, (why) => this.end(outlet, why));
    const discard = (): void => {
      paid?.close();
      stream.close();
      release();
    };
    return new StreamAnswer(HEADERS, (response) => this.start(response, outlet, stream, discard), discard);
  }

  private subscribe(outlet: EventOutlet, wanted: StreamRequest): LiveStream {
    try {
      return this.deps.hub.open(outlet, wanted);
    } catch (error) {
      if (error instanceof LiveProblem) throw asHttp(error);
      throw error;
    }
  }

  private start(response: ServerResponse, outlet: EventOutlet, stream: LiveStream, discard: () => void): void {
    // A client that vanished without a word is found by the connection below.
    response.socket?.setKeepAlive(true, this.deps.keepAliveMs);
    const entry: OpenStream = { outlet, response };
    this.streams.add(entry);
    response.on('drain', () => stream.drained());
    // A client that breaks off is no failure of ours: close follows.
    response.on('error', () => undefined);
    response.once('close', () => {
      this.streams.delete(entry);
      discard();
    });
    outlet.attach(response, RETRY);
  }

  private end(outlet: EventOutlet, why: StreamEnd): void {
    const { counters } = this.deps;
    if (why === 'key') counters.revoked++;
    else counters.unpaid++;
    outlet.send(lastFrame(LAST_WORDS[why]));
    outlet.end(endCodes[why], endWords[why]);
  }
}

function streamRequest(channel: string, request: FastifyRequest): StreamRequest {
  const params: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    if (!NOT_OF_THE_CHANNEL.has(name)) params[name] = Array.isArray(value) ? value[0] : value;
  }
  return { channel, params, resume: resumeOf(request) };
}

/** The header comes from the client's own reconnection and is newer than what is in its address. */
function resumeOf(request: FastifyRequest): StreamRequest['resume'] {
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return parseEventId(header);
  const query = (request.query as Record<string, unknown>).lastEventId;
  const text = Array.isArray(query) ? query[0] : query;
  if (typeof text !== 'string' || text === '') return null;
  const place = parseEventId(text);
  if (place === null) throw badRequest('lastEventId must be the id of an event: epoch:seq');
  return place;
}

function asHttp(problem: LiveProblem): HttpProblem {
  const status = STATUS[problem.code];
  if (status === undefined) throw problem;
  const headers: Record<string, string> = {};
  if (problem.code === 'upstream_unavailable') headers['retry-after'] = '2';
  if (problem.code === 'server_busy') headers['retry-after'] = '30';
  return new HttpProblem(status, problem.code, problem.message, headers);
}
