import type { LiveConnection, LiveHub } from '#libs/serve/live/live-hub.js';
import type { OutFrame, Outlet } from '#libs/serve/live/outlet.js';
import type { Happened } from './happened.js';
import { ModelSubscription, type SubscriptionRequest } from './model-subscription.js';
import type { RestAnswers } from './rest-answers.js';

/**
 * A client that knows nothing but frames. Its transport holds what it has not read; what is under way when a connection
 * breaks is lost, and it subscribes again from where it was.
 */
export class ModelClient {
  readonly subscriptions = new Map<string, ModelSubscription>();
  private connection: LiveConnection | null = null;
  private queue: OutFrame[] = [];
  private numbered = 0;

  constructor(
    readonly name: string,
    private readonly answers: RestAnswers,
    private readonly happened: Happened,
    private readonly report: (problem: string) => void,
  ) {}

  get connected(): boolean {
    return this.connection !== null;
  }

  get unread(): number {
    return this.queue.length;
  }

  connect(hub: LiveHub): void {
    const queue: OutFrame[] = [];
    this.queue = queue;
    const outlet: Outlet = {
      send: (frame) => queue.push(frame),
      bufferedBytes: () => queue.reduce((sum, frame) => sum + frame.text.length, 0),
      end: (code) => {
        this.count(`end ${code}`);
        if (this.queue === queue) this.lose();
      },
    };
    this.connection = hub.connect(outlet);
    for (const [id, subscription] of this.subscriptions) this.send(id, subscription);
  }

  /** The connection breaks; frames that were not read are gone. */
  disconnect(): void {
    const { connection } = this;
    this.lose();
    connection?.close();
  }

  subscribe(request: SubscriptionRequest): void {
    const id = `s${++this.numbered}`;
    const subscription = new ModelSubscription(request, this.answers, this.happened);
    this.subscriptions.set(id, subscription);
    if (this.connection !== null) this.send(id, subscription);
  }

  unsubscribe(id: string): void {
    this.subscriptions.delete(id);
    this.connection?.receive(JSON.stringify({ op: 'unsubscribe', id }));
  }

  /** Reads some frames; tells the engine when the transport is empty. */
  async read(count: number): Promise<void> {
    const { queue, connection } = this;
    for (const { text } of queue.splice(0, count)) await this.apply(JSON.parse(text));
    if (queue.length === 0 && this.queue === queue) connection?.drained();
  }

  private async apply(frame: Record<string, unknown>): Promise<void> {
    const { id, type } = frame as { id: string | null; type: string };
    this.count(type);
    if (id === null) {
      this.report(`${this.name}: frame without id: ${JSON.stringify(frame).slice(0, 200)}`);
      return;
    }
    const subscription = this.subscriptions.get(id);
    if (subscription === undefined) return;
    if (type === 'error') {
      this.count(`error ${String(frame.code)}`);
      if (frame.code !== 'not_found' && frame.code !== 'upstream_unavailable') {
        this.report(`${this.name}: ${JSON.stringify(frame)}`);
      }
      this.subscriptions.delete(id);
      return;
    }
    const problem = await subscription.apply(frame);
    if (problem !== null) this.report(`${this.name} ${id} ${subscription.describe()}: ${problem}`);
  }

  private send(id: string, subscription: ModelSubscription): void {
    this.connection?.receive(JSON.stringify({ op: 'subscribe', id, ...subscription.message() }));
  }

  private lose(): void {
    this.connection = null;
    this.queue = [];
  }

  private count(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1;
  }
}
