import type { IncomingMessage } from 'node:http';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import { callPrice } from '#libs/protocol/accounts/prices.js';
import type { Accounts, Admission, Caller, Refused } from '#libs/serve/accounts/account.js';
import { presentedKey } from '#libs/serve/accounts/key-source.js';
import type { CostClass } from '#libs/serve/contract/route-declaration.js';
import { attachAdmission, type Pass, passOf, quotaHeaders } from './pass.js';
import { HttpProblem, unauthorized } from './problem.js';

export interface AccessOptions {
  readonly accounts: Accounts;
  /** Query names that may carry the key, in order. */
  readonly keyNames?: readonly string[];
  /** What to say while the keys are not read yet. */
  readonly notReady?: () => HttpProblem;
}

/** What a keyed route asks for. */
export interface AccessRule {
  readonly scope: KeyScope;
  readonly cost: CostClass;
  /** Under this name its usage is counted. */
  readonly name: string;
}

/** Who may call a listener's keyed routes: the key first, then the account's rate, then its credits. */
export class Access {
  constructor(private readonly options: AccessOptions) {}

  /**
   * null: the request is let in, and has its pass. One that was looked at before has its outcome already. Only a shared
   * store makes anybody wait.
   */
  check(request: IncomingMessage, rule: AccessRule): HttpProblem | null | Promise<HttpProblem | null> {
    const before = outcomes.get(request);
    if (before !== undefined) return before;
    if (passOf(request) !== null) return null;
    const caller = this.callerOf(request, rule.scope);
    if (caller instanceof HttpProblem) return caller;
    const { accounts } = this.options;
    if (rule.cost === 'stream' && !accounts.hasRoom(caller)) return keyIsFull();
    const { prices } = accounts;
    const credits = rule.cost === 'stream' ? prices.stream + prices.minute : prices[rule.cost];
    const answer = accounts.admit(caller, { route: rule.name, credits });
    const enter = (outcome: Admission | Refused): HttpProblem | null => {
      if ('refused' in outcome) return refusalOf(outcome);
      const takeCalls = (calls: readonly CostClass[]) => {
        const all = calls.reduce((sum, call) => sum + callPrice(prices, rule.cost, call), 0);
        return addCalls(accounts, pass, { requests: calls.length - 1, credits: all - credits }, credits);
      };
      const pass: Pass = { caller, admission: outcome, route: rule.name, takeCalls };
      attachAdmission(request, pass);
      return null;
    };
    return answer instanceof Promise ? answer.then(enter) : enter(answer);
  }

  /**
   * What `check` saw of a key's live connections may have changed while a shared store was asked: looked at again in the same
   * turn in which one is opened.
   */
  roomFor(request: IncomingMessage): HttpProblem | null {
    const pass = passOf(request);
    return pass === null || this.options.accounts.hasRoom(pass.caller) ? null : keyIsFull();
  }

  private callerOf(request: IncomingMessage, scope: KeyScope): Caller | HttpProblem {
    const { accounts, keyNames, notReady = keysNotRead } = this.options;
    const url = request.url!;
    const mark = url.indexOf('?');
    const key = presentedKey({ rawHeaders: request.rawHeaders, query: mark < 0 ? '' : url.slice(mark + 1) }, keyNames);
    if (key === null) return unauthorized('an API key is needed: send it as the header x-api-key');
    const caller = accounts.authenticate(key);
    if (caller === null) {
      return accounts.ready
        ? unauthorized('this API key is unknown: send a valid one as the header x-api-key')
        : notReady();
    }
    const { scopes, origins } = caller.key;
    if (!scopes.includes(scope)) return unauthorized(`this API key is not for ${SCOPES[scope]}: use one that is`);
    if (origins.length > 0 && !origins.includes(request.headers.origin ?? '')) {
      return unauthorized(`this API key is accepted from pages of ${origins.join(', ')} only`);
    }
    return caller;
  }
}

/** Refusals of requests that are answered later than they were looked at. */
const outcomes = new WeakMap<IncomingMessage, HttpProblem>();

/** A request that was looked at and refused: its answer says the same. */
export const keepRefusal = (request: IncomingMessage, problem: HttpProblem): void =>
  void outcomes.set(request, problem);

const SCOPES: Readonly<Record<KeyScope, string>> = {
  data: 'market data',
  router: 'the router',
  launch: 'launches',
  gateway: 'the JSON-RPC gateway',
};

interface Calls {
  readonly requests: number;
  readonly credits: number;
}

/** A request costs what its calls do: what comes beyond that for which it was let in is taken once they are known. */
async function addCalls(accounts: Accounts, pass: Pass, beyond: Calls, credits: number): Promise<void> {
  if (beyond.requests === 0 && beyond.credits === 0) return;
  const { caller, admission: first, route } = pass;
  const more = await accounts.admit(caller, { route, held: 1, ...beyond });
  if ('refused' in more) {
    first.cancel();
    const { credits: left } = more.quota;
    const quota = { ...more.quota, credits: left === null ? null : left + credits };
    pass.admission = { quota, settle: () => quota.credits, cancel: () => undefined };
    throw refusalOf({ ...more, quota });
  }
  pass.admission = {
    ...{ quota: more.quota, cancel: more.cancel },
    settle: (paid) => {
      const left = more.settle(paid);
      first.settle(paid);
      return left === null || paid ? left : left + credits;
    },
  };
}

function refusalOf({ refused, quota, waitMs }: Refused): HttpProblem {
  const headers = quotaHeaders(quota, quota.credits);
  const { rate } = quota;
  if (refused === 'credits') {
    const message = 'this account has no credits left for this request: add some, or wait until its plan renews';
    return new HttpProblem(401, 'unauthorized', message, headers);
  }
  if (refused === 'batch') {
    const message = `the batch has more calls than the ${2 * rate!} that this account may send at once: send smaller ones`;
    return new HttpProblem(429, 'rate_limited', message, { ...headers, 'retry-after': '1' });
  }
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `this account may send ${rate} requests a second: try again in ${waitMs} ms`;
  return new HttpProblem(429, 'rate_limited', message, { ...headers, 'retry-after': String(seconds) });
}

export const keyIsFull = (): HttpProblem =>
  new HttpProblem(503, 'server_busy', 'this API key has as many live connections as one may have: close some first', {
    'retry-after': '30',
  });

const keysNotRead = (): HttpProblem =>
  new HttpProblem(503, 'upstream_unavailable', 'the keys are not read yet: try again', { 'retry-after': '2' });
