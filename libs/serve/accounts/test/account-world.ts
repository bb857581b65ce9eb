import { standardPrices } from '#libs/protocol/accounts/prices.js';
import type { Admission, Caller, Refused } from '../account.js';
import { Directory } from '../directory.js';
import { Gate } from '../gate.js';
import { hashKey } from '../key-text.js';
import { MemorySpending } from '../memory-spending.js';
import type { SpendingStore } from '../spending.js';
import { UsageLedger } from '../usage-ledger.js';

export const ANY_SCOPE = ['data', 'router', 'launch', 'gateway'] as const;

/** One account with one key, in a process with a clock that a spec moves. */
export class AccountWorld {
  readonly key = 'tp_of-a-spec';
  readonly directory = new Directory();
  readonly ledger: UsageLedger;
  readonly gate: Gate;

  constructor(
    readonly clock: { ms: number },
    plan: { rate: number; credits: number | null },
    spending?: (local: MemorySpending) => SpendingStore,
    instance = 'spec',
    mostStreams?: number,
  ) {
    const now = () => clock.ms;
    this.ledger = new UsageLedger(instance, now);
    const local = new MemorySpending(now, () => this.ledger.replicas);
    this.gate = new Gate({
      ...{ directory: this.directory, ledger: this.ledger, prices: standardPrices, now, mostStreams },
      ...{ spending: spending?.(local) ?? local, demo: { key: '', file: '' } },
    });
    this.gate.ready = true;
    this.plan(plan.rate, plan.credits);
    const made = { createdAt: 0, name: 'Of a spec' } as const;
    this.directory.put({ kind: 'account', id: 'a', plan: 'Spec', rate: null, closed: false, ...made });
    this.putKey({});
  }

  get caller(): Caller {
    return this.gate.authenticate(this.key)!;
  }

  plan(rate: number, credits: number | null): void {
    this.directory.put({ kind: 'plan', name: 'Spec', rate, credits });
  }

  putKey(change: { revokedAt?: number; expiresAt?: number }): void {
    this.directory.put({
      ...{ kind: 'key', hash: hashKey(this.key), account: 'a', name: '', scopes: ANY_SCOPE, origins: [] },
      ...{ createdAt: 0, expiresAt: null, revokedAt: null, ...change },
    });
  }

  grant(id: string, credits: number): void {
    this.directory.put({ kind: 'grant', id, account: 'a', credits, reason: '', at: this.clock.ms });
  }

  /** One request, at once: only a shared store makes anybody wait. */
  ask(credits: number, requests = 1): Admission | Refused {
    return this.gate.admit(this.caller, { route: 'route', credits, requests }) as Admission | Refused;
  }
}
