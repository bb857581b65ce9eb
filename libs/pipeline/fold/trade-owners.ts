import type { Hex } from '#libs/core/ids.js';
import { isZeroId } from '#libs/pipeline/projections/token-amounts.js';
import type { BlockGroup, ChainEvent, SwapEvent, TransferEvent } from '#libs/protocol/blocks.js';
import { allSettlements, settlementsForOthers } from './settlements.js';
import type { TokenTable } from './token-table.js';

/**
 * Whose trades the swaps of an EVM transaction are: the sender's where it gave tokens or got what the pools gave. Else
 * those of the accounts that gave tokens before they got any, as who trades through others does and no pool in between. Within a
 * known settlement that is who gave to it; elsewhere who gave what a pool took and got what one gave, or gave for the coin alone.
 * Else the sender's all the same: what it pays or gets in the coin itself is not in the log, nor for whom it acts.
 * Invariant: an answer follows from the events of the transaction alone. A transaction is looked at once, and beyond its sender's own
 * transfers only where these do not tell.
 */
export class TradeOwners {
  private next = 0;
  private tx = -1;
  private owners: ReadonlyMap<number, Hex> = NO_OWNERS;

  constructor(
    private readonly group: BlockGroup,
    private readonly table: TokenTable,
  ) {}

  /** Swaps are asked for in the order of the block. */
  ownerOf(swap: SwapEvent): Hex {
    if (swap.tx !== this.tx) {
      this.tx = swap.tx;
      this.owners = this.ownersOfTx();
    }
    return this.owners.get(swap.ordinal) ?? this.group.txs[swap.tx]!.sender;
  }

  private ownersOfTx(): ReadonlyMap<number, Hex> {
    const { events, txs } = this.group;
    const { tx } = this;
    while (this.next < events.length && events[this.next]!.tx !== tx) this.next++;
    const from = this.next;
    while (this.next < events.length && events[this.next]!.tx === tx) this.next++;
    if (onlyGave(events, from, this.next, txs[tx]!.sender)) return NO_OWNERS;
    return this.ownersOf(events.slice(from, this.next));
  }

  /** By the ordinals of swaps; those that are not named are the sender's. */
  private ownersOf(events: readonly ChainEvent[]): ReadonlyMap<number, Hex> {
    const legs = this.legsOf(events);
    const { sender } = this.group.txs[this.tx]!;
    const owners = ownSales(legs, events);
    if (senderTraded(legs, events, sender)) return owners;
    const rest = legs.filter(({ swap }) => !owners.has(swap.ordinal));
    const accounts = this.others(rest, events, sender);
    const all = new Map(owners);
    for (const leg of rest) {
      const owner = ownerAmong(accounts, leg);
      if (owner !== null) all.set(leg.swap.ordinal, owner);
    }
    return all;
  }

  private legsOf(events: readonly ChainEvent[]): Leg[] {
    const legs: Leg[] = [];
    for (const event of events) {
      if (event.kind !== 'swap') continue;
      const { amount0, amount1 } = event;
      const pool = this.table.pool(event.pool);
      if (pool === undefined || amount0 === 0n || amount1 === 0n || amount0 > 0n === amount1 > 0n) continue;
      const [input, output] = amount0 > 0n ? [pool.token0.id, pool.token1.id] : [pool.token1.id, pool.token0.id];
      const [taken, given] = amount0 > 0n ? [amount0, -amount1] : [amount1, -amount0];
      legs.push({ swap: event, input, output, taken, given });
    }
    return legs;
  }

  /** Accounts other than the sender that the swaps may have been made for, in the order in which they gave. */
  private others(legs: readonly Leg[], events: readonly ChainEvent[], sender: Hex): Account[] {
    const accounts = accountsOf(events);
    const named = new Set(legs.flatMap(({ swap }) => [swap.sender, swap.recipient]));
    const seen = [...named, ...accounts.map(({ id }) => id)];
    const able = accounts.filter(
      ({ id }) => id !== sender && !allSettlements.has(id) && this.table.pool(id) === undefined,
    );
    const gave = able.filter((account) => some(account, -1n)).sort((a, b) => a.firstGave - b.firstGave);
    const coin = this.table.coin.id;
    if (seen.some((id) => allSettlements.has(id))) {
      const first = gave.filter(({ firstGave, firstGot }) => firstGave < firstGot);
      const toSettlement = first.filter(({ gaveTo }) => [...gaveTo].some((id) => allSettlements.has(id)));
      if (first.length > 0) return toSettlement.length > 0 ? toSettlement : first;
      const paysCoin = legs.some(({ input }) => input === coin) && seen.some((id) => settlementsForOthers.has(id));
      return paysCoin ? able.filter((account) => !some(account, -1n)) : [];
    }
    // What ends where it began cannot be known from the transfers of the pools between.
    if (isRoundTrip(legs)) return [];
    const both = gave.filter(
      (account) =>
        (account.firstGave < account.firstGot || named.has(account.id)) &&
        legs.some(({ input }) => netOf(account, input) < 0n) &&
        legs.some(({ output }) => netOf(account, output) > 0n),
    );
    if (both.length > 0 || legs.every(({ output }) => output !== coin)) return both;
    return gave.filter((account) => !some(account, 1n) && legs.some(({ input }) => netOf(account, input) < 0n));
  }
}

const NO_OWNERS: ReadonlyMap<number, Hex> = new Map();

interface Leg {
  readonly swap: SwapEvent;
  readonly input: Hex;
  readonly output: Hex;
  readonly taken: bigint;
  readonly given: bigint;
}

/** What a transaction's transfers did to an account. */
interface Account {
  readonly id: Hex;
  readonly net: Map<Hex, bigint>;
  firstGave: number;
  firstGot: number;
  readonly gaveTo: Set<Hex>;
}

const netOf = (account: Account, token: Hex): bigint => account.net.get(token) ?? 0n;

function isRoundTrip(legs: readonly Leg[]): boolean {
  const net = new Map<Hex, bigint>();
  for (const { input, output, taken, given } of legs) {
    net.set(input, (net.get(input) ?? 0n) - taken);
    net.set(output, (net.get(output) ?? 0n) + given);
  }
  const amounts = [...net.values()];
  return amounts.every((amount) => amount >= 0n) || amounts.every((amount) => amount <= 0n);
}

/** One of them may own a leg that changed none of its balances only where there is no other. */
function ownerAmong(accounts: readonly Account[], leg: Leg): Hex | null {
  const { input, output, taken, given } = leg;
  const found =
    accounts.find((account) => near(-netOf(account, input), taken) || near(netOf(account, output), given)) ??
    most(accounts, input, -1n) ??
    most(accounts, output, 1n) ??
    (accounts.length === 1 ? accounts[0] : undefined);
  return found?.id ?? null;
}

/** Apart by no more than what taxes and fees on the way take. */
const near = (amount: bigint, swapped: bigint): boolean =>
  20n * (amount > swapped ? amount - swapped : swapped - amount) <= swapped;

/** Whether an account has more (1), or less (-1), of some token. */
function some({ net }: Account, sign: 1n | -1n): boolean {
  for (const amount of net.values()) if (sign * amount > 0n) return true;
  return false;
}

/** Whether the sender, as most do, gave some token and got none of it, and no token's own contract gave of its token. */
function onlyGave(events: readonly ChainEvent[], from: number, to: number, sender: Hex): boolean {
  let given: Hex[] | null = null;
  for (let i = from; i < to; i++) {
    const event = events[i]!;
    if (event.kind !== 'transfer' || event.amount === 0n) continue;
    if (event.from === event.token) return false;
    if (event.from !== sender || event.to === sender) continue;
    given ??= [];
    given.push(event.token);
  }
  if (given === null) return false;
  for (let i = from; i < to; i++) {
    const event = events[i]!;
    if (event.kind === 'transfer' && event.to === sender) given = given.filter((token) => token !== event.token);
  }
  return given.length > 0;
}

/** Sales by the token's own contract, which holds what it taxed: another owner's, whichever trade starts them. */
function ownSales(legs: readonly Leg[], events: readonly ChainEvent[]): ReadonlyMap<number, Hex> {
  let owners: Map<number, Hex> | null = null;
  for (const event of events) {
    if (event.kind !== 'transfer' || event.from !== event.token || event.amount === 0n) continue;
    const sold = legs.find(
      ({ swap, input }) => input === event.token && swap.pool === event.to && swap.ordinal > event.ordinal,
    );
    if (sold === undefined) continue;
    owners ??= new Map();
    owners.set(sold.swap.ordinal, event.token);
  }
  return owners ?? NO_OWNERS;
}

/** Whether the sender gave tokens, or got most of what a pool gave. */
function senderTraded(legs: readonly Leg[], events: readonly ChainEvent[], sender: Hex): boolean {
  let net: Map<Hex, bigint> | null = null;
  for (const event of events) {
    if (event.kind !== 'transfer') continue;
    const { token, from, to, amount } = event;
    if ((from !== sender && to !== sender) || from === to) continue;
    net ??= new Map();
    net.set(token, (net.get(token) ?? 0n) + (to === sender ? amount : -amount));
  }
  if (net === null) return false;
  for (const amount of net.values()) if (amount < 0n) return true;
  return legs.some(({ output, given }) => 2n * (net.get(output) ?? 0n) >= given);
}

function accountsOf(events: readonly ChainEvent[]): Account[] {
  const accounts = new Map<Hex, Account>();
  const of = (id: Hex): Account => {
    let account = accounts.get(id);
    if (account === undefined) {
      const never = Number.POSITIVE_INFINITY;
      account = { id, net: new Map(), firstGave: never, firstGot: never, gaveTo: new Set() };
      accounts.set(id, account);
    }
    return account;
  };
  for (const event of events) if (event.kind === 'transfer' && event.amount > 0n) move(event, of);
  return [...accounts.values()];
}

function move({ token, from, to, amount, ordinal }: TransferEvent, of: (id: Hex) => Account): void {
  if (from === to) return;
  if (!isZeroId(from)) {
    const account = of(from);
    account.net.set(token, netOf(account, token) - amount);
    account.firstGave = Math.min(account.firstGave, ordinal);
    account.gaveTo.add(to);
  }
  if (isZeroId(to)) return;
  const account = of(to);
  account.net.set(token, netOf(account, token) + amount);
  account.firstGot = Math.min(account.firstGot, ordinal);
}

/** The account that has the most more (1), or less (-1), of a token. */
function most(accounts: readonly Account[], token: Hex, sign: 1n | -1n): Account | undefined {
  let found: Account | undefined;
  let least = 0n;
  for (const account of accounts) {
    const amount = sign * netOf(account, token);
    if (amount <= least) continue;
    least = amount;
    found = account;
  }
  return found;
}
