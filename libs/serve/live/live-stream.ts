import type { LiveKey } from './live-key.js';
import type { LiveProblem } from './live-problem.js';
import { endCodes, type Outlet } from './outlet.js';
import type { StreamRequest } from './stream-request.js';
import { Subscriber, type SubscriberDeps } from './subscriber.js';
import { Subscription } from './subscription.js';

const ONLY_ID = '"1"';

/** A stream of exactly one subscription. When that is refused the stream ends after the error frame, its first one. */
export class LiveStream extends Subscriber {
  constructor(outlet: Outlet, deps: SubscriberDeps) {
    super(outlet, deps);
  }

  start({ channel, resume }: StreamRequest, key: LiveKey): void {
    this.add(new Subscription(this, ONLY_ID, channel, key, resume));
  }

  override refused(subscription: Subscription, problem: LiveProblem): void {
    super.refused(subscription, problem);
    const again = problem.code === 'upstream_unavailable';
    this.end(again ? endCodes.unavailable : endCodes.refused, problem.message);
  }
}
