import { signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { FrameOfChannel } from '#libs/serve/client/live-frame.js';
import type { RequestOfChannel } from '#libs/serve/client/live-subscription.js';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import type { Clients } from '../state/clients.js';
import { feedError } from './feed-error.js';
import type { MomentStream, PageMoment } from './page-moment.js';

export interface LiveToken {
  readonly body: TokenBody | null;
  /** Why there is none. */
  readonly error: ApiError | null;
}

/** A token as its channel says: the whole of it, then what the trades of each block moved. */
export class TokenFeed {
  readonly token = signal<LiveToken>({ body: null, error: null });
  private readonly stream: MomentStream;
  private readonly subscription: { unsubscribe(): void };

  constructor(clients: Clients, request: RequestOfChannel<'token'>, moment: PageMoment) {
    this.stream = moment.stream();
    this.subscription = clients.live.subscribe(request, (frame) => this.receive(frame));
  }

  stop(): void {
    this.subscription.unsubscribe();
    this.stream.end();
  }

  private receive(frame: FrameOfChannel<'token'>): void {
    if (frame.type === 'error') this.token.value = { ...this.token.peek(), error: feedError(frame) };
    else if ('data' in frame) this.stream.take(frame, () => this.apply(frame));
  }

  private apply(frame: FrameOfChannel<'token'>): void {
    if (frame.type === 'snapshot') {
      const error = frame.data === null ? new ApiError('not_found', 'its blocks were replaced', 404) : null;
      this.token.value = { body: frame.data, error };
    } else if (frame.type === 'token') {
      const { trades: _, ...moved } = frame.data;
      const { body } = this.token.peek();
      if (body !== null) this.token.value = { body: { ...body, ...moved }, error: null };
    }
  }
}
