/**
 * Guards say for how long a token's selection stays right: while the USD price of `quote` is strictly inside (lo, hi),
 * nothing about `token` needs to be looked at again. They are derived and conservative: a guard that is hit too early
 * costs a look, so they may use floats; no result depends on them. This keeps a block's cost proportional to what it
 * changed although every price depends on the coin's.
 */
export interface Guard<Token> {
  token: Token;
  quote: Token;
  lo: number;
  hi: number;
  active: boolean;
}

/** What guards need of a token: what its price depends on, and the places where its guards are kept. */
export interface Guarded<Token> {
  readonly isReference: boolean;
  readonly selection: { readonly quote: Token; readonly roughSpot: number } | null;
  /** Guards on what this token's selection depends on: [0] coin and stables, [1] tokens of level 2. */
  readonly guards: [Guard<Token>[], Guard<Token>[]];
  /** Guards of others on this token's USD price. */
  watchers: GuardSet<Token> | null;
  /** Level 2: one guard on the reference token's price that covers all of this token's watchers. */
  referenceGuard: Guard<Token> | null;
  /** Coin and stables: the reference guards of level 2 tokens. */
  referenceGuards: GuardSet<Token> | null;
}

/** The range in which a selection provably holds, before it becomes a guard. */
export interface SafeRange<Token> {
  quote: Token;
  usd: number;
  lo: number;
  hi: number;
}

/** Above any rounding of the doubles involved. */
const MARGIN = 1e-9;

/** Guards on one token's USD price. */
export class GuardSet<Token> {
  private readonly low = new GuardHeap<Token>((a, b) => a.lo > b.lo);
  private readonly high = new GuardHeap<Token>((a, b) => a.hi < b.hi);
  size = 0;

  add(guard: Guard<Token>): void {
    this.size++;
    if (guard.lo > 0) this.low.push(guard, this.size);
    if (guard.hi < Number.POSITIVE_INFINITY) this.high.push(guard, this.size);
  }

  /** Drops every guard that does not hold at this price and adds its token to `hit`. */
  sweep(usd: number, hit: Set<Token>): void {
    for (let top = this.low.top(); top !== undefined && (top.lo >= usd || !top.active); top = this.low.top()) {
      this.low.pop();
      if (top.active) hit.add(this.drop(top).token);
    }
    for (let top = this.high.top(); top !== undefined && (top.hi <= usd || !top.active); top = this.high.top()) {
      this.high.pop();
      if (top.active) hit.add(this.drop(top).token);
    }
  }

  /** The range in which every guard of the set holds. */
  bounds(): { lo: number; hi: number } {
    return { lo: this.low.live()?.lo ?? 0, hi: this.high.live()?.hi ?? Number.POSITIVE_INFINITY };
  }

  drop(guard: Guard<Token>): Guard<Token> {
    if (guard.active) {
      guard.active = false;
      this.size--;
    }
    return guard;
  }
}

/** Replaces a token's guards (of one kind) by guards inside the safe ranges; a guard that is safe already stays. */
export function updateGuards<Token extends Guarded<Token>>(
  token: Token,
  kind: 0 | 1,
  ranges: SafeRange<Token>[],
): void {
  const old = token.guards[kind];
  // The common case: one quote token, and the guard still holds.
  if (ranges.length === 1 && old.length === 1 && holds(old[0]!, ranges[0]!)) return;
  const kept: Guard<Token>[] = [];
  for (const guard of old) {
    if (ranges.some((range) => holds(guard, range))) kept.push(guard);
    else guard.quote.watchers?.drop(guard);
  }
  for (const range of ranges) {
    if (kept.some((guard) => guard.quote === range.quote)) continue;
    const guard = inside(token, range);
    if (guard.lo <= 0 && guard.hi === Number.POSITIVE_INFINITY) continue;
    range.quote.watchers ??= new GuardSet<Token>();
    range.quote.watchers.add(guard);
    kept.push(guard);
  }
  token.guards[kind] = kept;
}

function holds<Token>(guard: Guard<Token>, range: SafeRange<Token>): boolean {
  return (
    guard.active &&
    guard.quote === range.quote &&
    range.lo <= guard.lo &&
    guard.hi <= range.hi &&
    guard.lo < range.usd &&
    range.usd < guard.hi
  );
}

/**
 * Translates the guards on a level 2 token's price into a range of its reference token's price, and guards that range. While
 * the reference stays inside it, no guard on the token itself is hit, and the token need not be looked at when the reference
 * moves.
 */
export function updateReferenceGuard<Token extends Guarded<Token>>(token: Token): void {
  const { selection, watchers, referenceGuard: old } = token;
  const needed = watchers !== null && watchers.size > 0 && selection?.quote.isReference === true;
  if (!needed) {
    if (old !== null) old.quote.referenceGuards?.drop(old);
    token.referenceGuard = null;
    return;
  }
  const { quote, roughSpot } = selection;
  const bounds = watchers.bounds();
  const lo = bounds.lo / roughSpot;
  const hi = bounds.hi / roughSpot;
  if (old?.active && old.quote === quote && lo <= old.lo && old.hi <= hi) return;
  if (old !== null) old.quote.referenceGuards?.drop(old);
  token.referenceGuard = { token, quote, lo, hi, active: true };
  quote.referenceGuards ??= new GuardSet<Token>();
  quote.referenceGuards.add(token.referenceGuard);
}

/** Half of the way (as a ratio) to each end, so that small changes need no new guard. */
function inside<Token>(token: Token, range: SafeRange<Token>): Guard<Token> {
  const lo = range.lo <= 0 ? 0 : Math.sqrt(range.lo * range.usd) * (1 + MARGIN);
  const hi = range.hi === Number.POSITIVE_INFINITY ? range.hi : Math.sqrt(range.hi * range.usd) * (1 - MARGIN);
  return { token, quote: range.quote, lo, hi, active: true };
}

/** Binary heap with lazy removal; rebuilt when most of it is dead. */
class GuardHeap<Token> {
  private items: Guard<Token>[] = [];

  constructor(private readonly before: (a: Guard<Token>, b: Guard<Token>) => boolean) {}

  top(): Guard<Token> | undefined {
    return this.items[0];
  }

  /** The top without the dead ones above it. */
  live(): Guard<Token> | undefined {
    while (this.items.length > 0 && !this.items[0]!.active) this.pop();
    return this.items[0];
  }

  push(guard: Guard<Token>, live: number): void {
    if (this.items.length > 64 && this.items.length > 3 * live) this.compact();
    const items = this.items;
    let at = items.length;
    items.push(guard);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(guard, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = guard;
  }

  pop(): void {
    const last = this.items.pop();
    if (last !== undefined && this.items.length > 0) this.sink(0, last);
  }

  private sink(from: number, guard: Guard<Token>): void {
    const items = this.items;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.before(items[child + 1]!, items[child]!)) child++;
      if (!this.before(items[child]!, guard)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = guard;
  }

  private compact(): void {
    this.items = this.items.filter((guard) => guard.active);
    for (let at = (this.items.length >> 1) - 1; at >= 0; at--) this.sink(at, this.items[at]!);
  }
}
