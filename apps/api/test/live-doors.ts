import { EventClient, type Frame, SocketClient, type StreamEvent } from '../src/live/transport/test/live-clients.js';
import type { ApiHarness } from './api-harness.js';

export interface Wanted {
  readonly channel: string;
  readonly [parameter: string]: unknown;
}

/** A way into the live interface over which a spec follows several subscriptions at once. */
export interface Door {
  /** Every frame of a subscription, the first ones too. */
  follow(id: string, wanted: Wanted, onFrame: (frame: Frame) => void): Promise<void>;
  /** Loses every connection and continues where each subscription was. */
  reconnect(): Promise<void>;
  close(): void;
}

/** One socket with all subscriptions. */
export class SocketDoor implements Door {
  private client: SocketClient | null = null;
  private readonly followed = new Map<string, { wanted: Wanted; onFrame: (frame: Frame) => void; resume: Frame }>();

  constructor(private readonly harness: ApiHarness) {}

  async follow(id: string, wanted: Wanted, onFrame: (frame: Frame) => void): Promise<void> {
    this.client ??= await this.open();
    this.followed.set(id, { wanted, onFrame, resume: null });
    this.client.send({ op: 'subscribe', id, ...wanted });
  }

  async reconnect(): Promise<void> {
    const { client } = this;
    client?.socket.removeAllListeners('message');
    client?.socket.terminate();
    this.client = await this.open();
    for (const [id, { wanted, resume }] of this.followed) this.client.send({ op: 'subscribe', id, ...wanted, resume });
  }

  close(): void {
    this.client?.socket.terminate();
  }

  private async open(): Promise<SocketClient> {
    const { api, key } = this.harness;
    const client = await SocketClient.open(`${api.url}/ws`, { headers: { 'x-api-key': key } });
    client.socket.on('message', (text) => {
      const frame: Frame = JSON.parse(String(text));
      const followed = this.followed.get(frame.id);
      if (followed === undefined) return;
      if (frame.epoch !== undefined) followed.resume = { epoch: frame.epoch, seq: frame.seq };
      followed.onFrame(frame);
    });
    return client;
  }
}

/** An event stream for each subscription, continued as a browser does: by `Last-Event-ID`. */
export class StreamDoor implements Door {
  private readonly followed = new Map<string, { wanted: Wanted; onFrame: (frame: Frame) => void }>();
  private readonly streams = new Map<string, EventClient>();
  private readonly lastIds = new Map<string, string>();

  constructor(private readonly harness: ApiHarness) {}

  async follow(id: string, wanted: Wanted, onFrame: (frame: Frame) => void): Promise<void> {
    this.followed.set(id, { wanted, onFrame });
    await this.open(id);
  }

  async reconnect(): Promise<void> {
    this.close();
    for (const id of this.followed.keys()) await this.open(id);
  }

  close(): void {
    for (const stream of this.streams.values()) stream.close();
    this.streams.clear();
  }

  private async open(id: string): Promise<void> {
    const { api, key } = this.harness;
    const { wanted, onFrame } = this.followed.get(id)!;
    const { channel, ...parameters } = wanted;
    const texts = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
    const query = new URLSearchParams(texts);
    const lastId = this.lastIds.get(id);
    const headers = { 'x-api-key': key, ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const stream = await EventClient.open(`${api.url}/stream/${channel}?${query}`, headers);
    this.streams.set(id, stream);
    void this.read(id, stream, onFrame);
  }

  private async read(id: string, stream: EventClient, onFrame: (frame: Frame) => void): Promise<void> {
    for (;;) {
      const event: StreamEvent | null = await stream.next().catch(() => null);
      if (event === null || this.streams.get(id) !== stream) return;
      if (event.id !== null) this.lastIds.set(id, event.id);
      onFrame(event.data);
    }
  }
}
