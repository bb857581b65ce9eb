import { standardPrices } from '#libs/protocol/accounts/prices.js';
import type { Admission, Caller, Refused } from '../account.js';
import { AdmissionController } from '../admission-controller.js';
import { Directory } from '../directory.js';
import { hashKey } from '../key-text.js';
import { MemorySpending } from '../memory-spending.js';
import type { SpendingStore } from '../spending.js';
import { UsageLedger } from '../usage-ledger.js';

const ANY_SCOPE = ['data', 'router', 'launch', 'gateway'] as const;

/** One account with one key, in a process with a clock that a spec moves. */
export class AccountWorld {
  readonly key = 'tp_of-a-spec';
  readonly directory = new Directory();
  readonly ledger: UsageLedger;
  readonly admission: AdmissionController;

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
    this.admission = new AdmissionController({
      ...{ directory: this.directory, ledger: this.ledger, prices: standardPrices, now, mostStreams },
      ...{ spending: spending?.(local) ?? local, demo: { key: '', file: '' } },
    });
    this.admission.ready = true;
    this.plan(plan.rate, plan.credits);
    const made = { createdAt: 0, name: 'Of a spec' } as const;
    this.directory.put({ kind: 'account', id: 'a', plan: 'Spec', rate: null, closed: false, ...made });
    this.putKey({});
  }

  get caller(): Caller {
    return this.admission.authenticate(this.key)!;
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
    return this.admission.admit(this.caller, { route: 'route', credits, requests }) as Admission | Refused;
  }
}
