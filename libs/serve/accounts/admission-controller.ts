import type { Prices } from '#libs/protocol/accounts/prices.js';
import type {
  Account,
  Accounts,
  Admission,
  Caller,
  OpenStream,
  QuotaStatus,
  Refused,
  StreamEnd,
  UsageRow,
  UsageTotals,
  Work,
} from './account.js';
import type { Directory } from './directory.js';
import { hashKey } from './key-text.js';
import type { SpendingStore, SpendOutcome, Taken } from './spending.js';
import type { UsageLedger } from './usage-ledger.js';

export interface AdmissionParts {
  directory: Directory;
  ledger: UsageLedger;
  spending: SpendingStore;
  prices: Prices;
  demo: Accounts['demo'];
  now: () => number;
  /** Most live connections of one key at a time in this process; no limit without it. */
  mostStreams?: number;
}

const MINUTE_MS = 60_000;
const NOTHING: Taken = { included: 0, extra: 0 };

/** The accounts of a process: who calls, what is let in, and what each live connection costs. */
export class AdmissionController implements Accounts {
  ready = false;
  readonly prices: Prices;
  readonly demo: Accounts['demo'];
  private readonly streams = new Set<PaidStream>();
  private readonly streamsOf = new Map<string, number>();

  constructor(private readonly parts: AdmissionParts) {
    this.prices = parts.prices;
    this.demo = parts.demo;
    parts.directory.onChange(() => this.checkKeys());
  }

  authenticate(key: string): Caller | null {
    return this.parts.directory.callerOf(hashKey(key), this.parts.now());
  }

  admit(caller: Caller, work: Work): Admission | Refused | Promise<Admission | Refused> {
    const { spending, ledger } = this.parts;
    const { requests = 1, held = 0, credits } = work;
    const { account } = caller;
    const { day, month } = ledger;
    const spent = ledger.totals(account.id);
    const outcome = spending.spend({ account, requests, held, credits, spent, month });
    if (!(outcome instanceof Promise)) return this.answer(caller, work, day, month, outcome);
    return outcome.then((done) => this.answer(caller, work, day, month, done));
  }

  openStream(caller: Caller, route: string, end: (why: StreamEnd) => void): OpenStream {
    const stream: PaidStream = { caller, route, end, paidUntil: this.parts.now() + MINUTE_MS, asking: false };
    this.streams.add(stream);
    const { id } = caller.key;
    this.streamsOf.set(id, (this.streamsOf.get(id) ?? 0) + 1);
    return { close: () => void this.forget(stream) };
  }

  hasRoom({ key }: Caller): boolean {
    return (this.streamsOf.get(key.id) ?? 0) < (this.parts.mostStreams ?? Number.POSITIVE_INFINITY);
  }

  totals(account: string): UsageTotals {
    return this.parts.ledger.totals(account);
  }

  usage(account: string, sinceDay: string): UsageRow[] {
    return this.parts.ledger.rows(account, sinceDay);
  }

  get openStreams(): number {
    return this.streams.size;
  }

  /** Every second: live connections whose key has ended go, those whose minute is over pay the next one. */
  tick(): void {
    this.checkKeys();
    const now = this.parts.now();
    for (const stream of this.streams) if (stream.paidUntil <= now && !stream.asking) this.payMinute(stream);
  }

  private checkKeys(): void {
    const now = this.parts.now();
    for (const stream of this.streams) {
      const current = this.parts.directory.callerOf(stream.caller.key.hash, now);
      if (current === null) this.endStream(stream, 'key');
      else stream.caller = current;
    }
  }

  private payMinute(stream: PaidStream): void {
    const { prices, now } = this.parts;
    stream.asking = true;
    const paid = (answer: Admission | Refused): void => {
      stream.asking = false;
      if ('refused' in answer) {
        this.endStream(stream, 'credits');
        return;
      }
      answer.settle(true);
      // A process that slept does not charge for it.
      stream.paidUntil = Math.max(stream.paidUntil + MINUTE_MS, now());
    };
    const answer = this.admit(stream.caller, { route: stream.route, credits: prices.minute, requests: 0 });
    if (answer instanceof Promise) void answer.then(paid);
    else paid(answer);
  }

  private endStream(stream: PaidStream, why: StreamEnd): void {
    if (this.forget(stream)) stream.end(why);
  }

  /** False: it was closed before. */
  private forget(stream: PaidStream): boolean {
    if (!this.streams.delete(stream)) return false;
    const { id } = stream.caller.key;
    const left = this.streamsOf.get(id)! - 1;
    if (left === 0) this.streamsOf.delete(id);
    else this.streamsOf.set(id, left);
    return true;
  }

  private answer(caller: Caller, work: Work, day: string, month: string, outcome: SpendOutcome): Admission | Refused {
    const quota = quotaOf(caller.account, outcome);
    if (outcome.refused === null) return new Admitted(this.parts, caller, work, day, month, outcome.taken, quota);
    const { requests = 1, held = 0 } = work;
    const refused = requests + held;
    if (refused > 0) this.parts.ledger.refuse(day, caller.account.id, caller.key.id, work.route, refused);
    return { refused: outcome.refused, quota, waitMs: outcome.waitMs };
  }
}

/** What was let in holds what it took until it is settled or cancelled, once. */
class Admitted implements Admission {
  private settled = false;

  constructor(
    private readonly parts: Pick<AdmissionParts, 'ledger' | 'spending'>,
    private readonly caller: Caller,
    private readonly work: Work,
    private readonly day: string,
    private readonly month: string,
    private readonly taken: Taken,
    readonly quota: QuotaStatus,
  ) {}

  settle(paid: boolean): number | null {
    const { work, taken, quota } = this;
    if (!this.settled) {
      this.settled = true;
      const { account, key } = this.caller;
      const { ledger, spending } = this.parts;
      // The usage first: between the two the credits are counted twice rather than not at all.
      ledger.add(this.day, account.id, key.id, work.route, paid ? taken : NOTHING, work.requests ?? 1);
      spending.settle(account, this.month, taken, paid);
    }
    return quota.credits === null || paid ? quota.credits : quota.credits + work.credits;
  }

  cancel(): void {
    if (!this.settled) this.parts.spending.settle(this.caller.account, this.month, this.taken, false);
    this.settled = true;
  }
}

interface PaidStream {
  caller: Caller;
  readonly route: string;
  readonly end: (why: StreamEnd) => void;
  paidUntil: number;
  asking: boolean;
}

const quotaOf = ({ rate }: Account, { remaining, resetMs, credits }: SpendOutcome): QuotaStatus => ({
  rate: rate === 0 ? null : rate,
  remaining,
  resetMs,
  credits,
});
