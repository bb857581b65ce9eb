import {
  type UsageDay,
  type UsageLine,
  type UsageRecord,
  usageDayOf,
  usageKeyOf,
} from '#libs/protocol/accounts/usage-record.js';
import type { UsageRow, UsageTotals } from './account.js';
import type { Taken } from './spending.js';

const DAY_MS = 86_400_000;
/** Days whose lines by key and route are kept; of older ones the sums are. */
const KEPT_DAYS = 62;
/** After so long without a sign of life a process counts no more. */
const ALIVE_MS = 30_000;

interface OwnDay {
  readonly account: string;
  readonly day: string;
  included: number;
  extra: number;
  /** By key, then by route: a request builds no name of the two. */
  readonly lines: Map<string, Map<string, OwnLine>>;
  /** Counted up with every change. */
  changes: number;
  published: number;
}

type OwnLine = Counts & { key: string; route: string };

interface Counts {
  requests: number;
  credits: number;
  refused: number;
}

interface Totals {
  /** By month, YYYY-MM. */
  readonly included: Map<string, number>;
  extra: number;
}

const NOTHING: UsageTotals = { included: 0, extra: 0 };

/**
 * What accounts spent: what this process counted since its start, and what the topic says of all others. Only what is
 * paid comes in, so that every count grows and stating it again changes nothing.
 */
export class UsageLedger {
  /** By account, then by day. */
  private readonly own = new Map<string, Map<string, OwnDay>>();
  private readonly stated = new Map<string, UsageDay>();
  private readonly totalsOf = new Map<string, Totals>();
  private readonly seen = new Map<string, number>();
  private dayNumber = -1;
  private today = '';
  private thisMonth = '';

  constructor(
    /** Names this start of this process. */
    readonly instance: string,
    private readonly now: () => number,
  ) {}

  /** YYYY-MM-DD */
  get day(): string {
    const number = Math.floor(this.now() / DAY_MS);
    if (number !== this.dayNumber) {
      this.dayNumber = number;
      this.today = new Date(number * DAY_MS).toISOString().slice(0, 10);
      this.thisMonth = this.today.slice(0, 7);
    }
    return this.today;
  }

  /** YYYY-MM of the day that was last asked for. */
  get month(): string {
    return this.thisMonth;
  }

  /** Spent in the current month, and ever. */
  totals(account: string): UsageTotals {
    const totals = this.totalsOf.get(account);
    if (totals === undefined) return NOTHING;
    return { included: totals.included.get(this.day.slice(0, 7)) ?? 0, extra: totals.extra };
  }

  /** A request of that day that was answered; what is not paid counts as a request without credits. */
  add(day: string, account: string, key: string, route: string, { included, extra }: Taken, requests: number): void {
    const own = this.ownDay(account, day);
    own.included += included;
    own.extra += extra;
    count(own, key, route, { requests, credits: included + extra, refused: 0 });
    if (included + extra > 0) this.addTotals(account, day, included, extra);
  }

  /** A request of that day that was not let in. */
  refuse(day: string, account: string, key: string, route: string, refused: number): void {
    count(this.ownDay(account, day), key, route, { requests: 0, credits: 0, refused });
  }

  /** A record of the topic. */
  take(record: UsageRecord): void {
    if (record.instance === this.instance) return;
    if (record.kind === 'instance') {
      this.seen.set(record.instance, record.at);
      return;
    }
    const name = usageKeyOf(record);
    const before = this.stated.get(name) ?? NOTHING;
    this.stated.set(name, record.day < this.firstKept() ? { ...record, lines: [] } : record);
    this.addTotals(record.account, record.day, record.included - before.included, record.extra - before.extra);
  }

  /** A record was taken away: a process ended in order, or what it stated of a day is in another record now. */
  dropped(topicKey: string): void {
    const place = usageDayOf(topicKey);
    if (place === null) {
      this.seen.delete(topicKey.slice(1));
      return;
    }
    const { account, instance, day } = place;
    const own = instance === this.instance ? this.own.get(account)?.get(day) : undefined;
    const before = own ?? this.stated.get(topicKey);
    if (before === undefined) return;
    if (own === undefined) this.stated.delete(topicKey);
    else this.own.get(account)!.delete(day);
    this.addTotals(account, day, -before.included, -before.extra);
  }

  /** Processes that count now, this one included. */
  get replicas(): number {
    const since = this.now() - ALIVE_MS;
    let alive = 1;
    for (const at of this.seen.values()) if (at >= since) alive++;
    return alive;
  }

  /** What the topic does not have yet, with the call that says it has. */
  unpublished(): { record: UsageDay; done: () => void }[] {
    const open = [...this.ownDays()].filter(({ changes, published }) => changes !== published);
    return open.map((own) => {
      const { account, day, included, extra, lines, changes } = own;
      const copies = linesOf(lines).map((line) => ({ ...line }));
      return {
        record: { kind: 'day', account, instance: this.instance, day, included, extra, lines: copies },
        done: () => {
          own.published = changes;
        },
      };
    });
  }

  /** By day, key and route; the newest day first. */
  rows(account: string, sinceDay: string): UsageRow[] {
    const rows = new Map<string, UsageRow>();
    const add = (day: string, { key, route, requests, credits, refused }: UsageLine): void => {
      const at = `${day} ${key} ${route}`;
      const before = rows.get(at);
      rows.set(at, {
        ...{ day, key, route },
        requests: (before?.requests ?? 0) + requests,
        credits: (before?.credits ?? 0) + credits,
        refused: (before?.refused ?? 0) + refused,
      });
    };
    for (const { day, lines } of this.own.get(account)?.values() ?? []) {
      if (day >= sinceDay) for (const line of linesOf(lines)) add(day, line);
    }
    for (const { account: id, day, lines } of this.stated.values()) {
      if (id === account && day >= sinceDay) for (const line of lines) add(day, line);
    }
    const place = ({ key, route }: UsageRow) => `${key} ${route}`;
    return [...rows.values()].sort(
      (a, b) => (a.day > b.day ? -1 : a.day < b.day ? 1 : 0) || (place(a) < place(b) ? -1 : 1),
    );
  }

  private ownDay(account: string, day: string): OwnDay {
    let days = this.own.get(account);
    if (days === undefined) {
      days = new Map();
      this.own.set(account, days);
    }
    let own = days.get(day);
    if (own === undefined) {
      own = { account, day, included: 0, extra: 0, lines: new Map(), changes: 0, published: 0 };
      days.set(day, own);
    }
    return own;
  }

  private *ownDays(): Generator<OwnDay> {
    for (const days of this.own.values()) yield* days.values();
  }

  private firstKept(): string {
    return new Date(this.now() - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
  }

  private addTotals(account: string, day: string, included: number, extra: number): void {
    let totals = this.totalsOf.get(account);
    if (totals === undefined) {
      totals = { included: new Map(), extra: 0 };
      this.totalsOf.set(account, totals);
    }
    const month = day.slice(0, 7);
    totals.included.set(month, (totals.included.get(month) ?? 0) + included);
    totals.extra += extra;
  }
}

function count(own: OwnDay, key: string, route: string, { requests, credits, refused }: Counts): void {
  own.changes++;
  let lines = own.lines.get(key);
  if (lines === undefined) {
    lines = new Map();
    own.lines.set(key, lines);
  }
  const line = lines.get(route);
  if (line === undefined) lines.set(route, { key, route, requests, credits, refused });
  else {
    line.requests += requests;
    line.credits += credits;
    line.refused += refused;
  }
}

const linesOf = (lines: OwnDay['lines']): OwnLine[] => [...lines.values()].flatMap((routes) => [...routes.values()]);
