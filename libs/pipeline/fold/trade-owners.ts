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
    const { sender } = txs[tx]!;
    const traded = this.senderTraded(from, this.next, sender);
    if (traded && !someOwnSale(events, from, this.next)) return NO_OWNERS;
    return this.ownersOf(events.slice(from, this.next), sender, traded);
  }

  /** Whether the sender, as most do, gave tokens, or got most of what a pool gave. */
  private senderTraded(from: number, to: number, sender: Hex): boolean {
    const { events } = this.group;
    // Few tokens: no map is made for them.
    const tokens: Hex[] = [];
    const nets: bigint[] = [];
    for (let i = from; i < to; i++) {
      const event = events[i]!;
      if (event.kind !== 'transfer') continue;
      const gave = event.from === sender;
      if (gave === (event.to === sender)) continue;
      const at = tokens.indexOf(event.token);
      if (at >= 0) nets[at]! += gave ? -event.amount : event.amount;
      else {
        tokens.push(event.token);
        nets.push(gave ? -event.amount : event.amount);
      }
    }
    if (nets.some((amount) => amount < 0n)) return true;
    for (let i = from; tokens.length > 0 && i < to; i++) {
      const event = events[i]!;
      const leg = event.kind === 'swap' ? this.legOf(event) : null;
      if (leg === null) continue;
      const at = tokens.indexOf(leg.output);
      if (at >= 0 && 2n * nets[at]! >= leg.given) return true;
    }
    return false;
  }

  /** By the ordinals of swaps; those that are not named are the sender's. */
  private ownersOf(events: readonly ChainEvent[], sender: Hex, traded: boolean): ReadonlyMap<number, Hex> {
    const legs: Leg[] = [];
    for (const event of events) {
      const leg = event.kind === 'swap' ? this.legOf(event) : null;
      if (leg !== null) legs.push(leg);
    }
    const owners = ownSales(legs, events);
    if (traded) return owners;
    const rest = legs.filter(({ swap }) => !owners.has(swap.ordinal));
    const accounts = this.others(rest, events, sender);
    if (accounts.length === 0) return owners;
    const all = new Map(owners);
    for (const leg of rest) {
      const owner = ownerAmong(accounts, leg);
      if (owner !== null) all.set(leg.swap.ordinal, owner);
    }
    return all;
  }

  /** Null where a swap does not give one token for the other. */
  private legOf(swap: SwapEvent): Leg | null {
    const { amount0, amount1 } = swap;
    const pool = this.table.pool(swap.pool);
    if (pool === undefined || amount0 === 0n || amount1 === 0n || amount0 > 0n === amount1 > 0n) return null;
    const [token0, token1] = [pool.token0.id, pool.token1.id];
    return amount0 > 0n
      ? { swap, input: token0, output: token1, taken: amount0, given: -amount1 }
      : { swap, input: token1, output: token0, taken: amount1, given: -amount0 };
  }

  /** Accounts other than the sender that the swaps may have been made for, in the order in which they gave. */
  private others(legs: readonly Leg[], events: readonly ChainEvent[], sender: Hex): Account[] {
    const settlements = settlementsIn(legs, events);
    // What ends where it began cannot be known from the transfers of the pools between.
    if (settlements.length === 0 && isRoundTrip(legs)) return [];
    const swapped = new Set(legs.map(({ swap }) => swap.pool));
    const isAble = (id: Hex): boolean => id !== sender && !allSettlements.has(id) && !swapped.has(id);
    // Asked last: what is no pool is looked for in the whole state.
    const isPool = ({ id }: Account): boolean => this.table.pool(id) !== undefined;
    const able = accountsOf(events, isAble);
    const gave = able.filter((account) => some(account, -1n)).sort((a, b) => a.firstGave - b.firstGave);
    const coin = this.table.coin.id;
    if (settlements.length > 0) {
      const first = gave.filter((account) => account.firstGave < account.firstGot && !isPool(account));
      const toSettlement = first.filter(({ gaveTo }) => gaveTo.some((id) => allSettlements.has(id)));
      if (first.length > 0) return toSettlement.length > 0 ? toSettlement : first;
      const paysCoin =
        legs.some(({ input }) => input === coin) && settlements.some((id) => settlementsForOthers.has(id));
      return paysCoin ? able.filter((account) => !some(account, -1n) && !isPool(account)) : [];
    }
    const both = gave.filter(
      (account) =>
        (account.firstGave < account.firstGot || isNamed(legs, account.id)) &&
        legs.some(({ input }) => netOf(account, input) < 0n) &&
        legs.some(({ output }) => netOf(account, output) > 0n) &&
        !isPool(account),
    );
    if (both.length > 0 || legs.every(({ output }) => output !== coin)) return both;
    return gave.filter(
      (account) => !some(account, 1n) && legs.some(({ input }) => netOf(account, input) < 0n) && !isPool(account),
    );
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
  readonly gaveTo: Hex[];
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
  if (accounts.length === 1) return accounts[0]!.id;
  const { input, output, taken, given } = leg;
  const found =
    accounts.find((account) => near(-netOf(account, input), taken) || near(netOf(account, output), given)) ??
    most(accounts, input, -1n) ??
    most(accounts, output, 1n);
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

function someOwnSale(events: readonly ChainEvent[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (isOwnSale(events[i]!)) return true;
  return false;
}

const isOwnSale = (event: ChainEvent): event is TransferEvent =>
  event.kind === 'transfer' && event.from === event.token && event.amount > 0n;

/** Sales by the token's own contract, which holds what it taxed: another owner's, whichever trade starts them. */
function ownSales(legs: readonly Leg[], events: readonly ChainEvent[]): ReadonlyMap<number, Hex> {
  let owners: Map<number, Hex> | null = null;
  for (const event of events) {
    if (!isOwnSale(event)) continue;
    const sold = legs.find(
      ({ swap, input }) => input === event.token && swap.pool === event.to && swap.ordinal > event.ordinal,
    );
    if (sold === undefined) continue;
    owners ??= new Map();
    owners.set(sold.swap.ordinal, event.token);
  }
  return owners ?? NO_OWNERS;
}

const isNamed = (legs: readonly Leg[], id: Hex): boolean =>
  legs.some(({ swap }) => swap.sender === id || swap.recipient === id);

/** Of the accounts that the swaps and transfers name. */
function settlementsIn(legs: readonly Leg[], events: readonly ChainEvent[]): Hex[] {
  const found: Hex[] = [];
  const look = (id: Hex): void => {
    if (allSettlements.has(id)) found.push(id);
  };
  for (const { swap } of legs) {
    look(swap.sender);
    look(swap.recipient);
  }
  for (const event of events) {
    if (event.kind !== 'transfer' || event.amount === 0n || event.from === event.to) continue;
    look(event.from);
    look(event.to);
  }
  return found;
}

/** Of those that may have traded. */
function accountsOf(events: readonly ChainEvent[], isAble: (id: Hex) => boolean): Account[] {
  const accounts = new Map<Hex, Account | null>();
  const never = Number.POSITIVE_INFINITY;
  const of = (id: Hex): Account | null => {
    let account = accounts.get(id);
    if (account === undefined) {
      const isOne = !isZeroId(id) && isAble(id);
      account = isOne ? { id, net: new Map(), firstGave: never, firstGot: never, gaveTo: [] } : null;
      accounts.set(id, account);
    }
    return account;
  };
  for (const event of events) if (event.kind === 'transfer' && event.amount > 0n) move(event, of);
  return [...accounts.values()].filter((account) => account !== null);
}

function move({ token, from, to, amount, ordinal }: TransferEvent, of: (id: Hex) => Account | null): void {
  if (from === to) return;
  const giver = of(from);
  if (giver !== null) {
    giver.net.set(token, netOf(giver, token) - amount);
    giver.firstGave = Math.min(giver.firstGave, ordinal);
    giver.gaveTo.push(to);
  }
  const taker = of(to);
  if (taker === null) return;
  taker.net.set(token, netOf(taker, token) + amount);
  taker.firstGot = Math.min(taker.firstGot, ordinal);
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
