import type { Hex } from '#libs/core/ids.js';
import { allSettlements, settlementsForOthers } from '#libs/pipeline/fold/settlements.js';
import type { BlockGroup, PoolRecord, SwapEvent, TransferEvent } from '#libs/protocol/blocks.js';

/** Whose trade a swap of an EVM chain is, worked out from all of its transaction for each swap again, with plain lists. */
export function naiveOwner(group: BlockGroup, swap: SwapEvent, pools: ReadonlyMap<Hex, PoolRecord>, coin: Hex): Hex {
  const { sender } = group.txs[swap.tx]!;
  const own = group.events.filter(({ tx }) => tx === swap.tx);
  const transfers = own.filter((event): event is TransferEvent => event.kind === 'transfer' && event.amount > 0n);
  const legs = own.flatMap((event) => (event.kind === 'swap' ? legOf(event, pools) : []));
  const leg = legs.find(({ ordinal }) => ordinal === swap.ordinal);
  if (leg === undefined) return sender;
  const taxed = legs.filter((one) => firstSale(one, legs, transfers));
  if (taxed.includes(leg)) return leg.input;
  const net = (account: Hex, token: Hex): bigint =>
    sum(transfers.filter((each) => each.token === token && each.to === account)) -
    sum(transfers.filter((each) => each.token === token && each.from === account));
  const sent = transfers.map(({ token }) => net(sender, token));
  if (sent.some((each) => each < 0n) || legs.some(({ output, given }) => net(sender, output) * 2n >= given))
    return sender;

  const rest = legs.filter((one) => !taxed.includes(one));
  const balance = (token: Hex): bigint =>
    sum(rest.flatMap(({ output, given }) => (output === token ? [{ amount: given }] : []))) -
    sum(rest.flatMap(({ input, taken }) => (input === token ? [{ amount: taken }] : [])));
  const tokens = [...new Set(rest.flatMap(({ input, output }) => [input, output]))];
  const moves = transfers.filter(({ from, to }) => from !== to);
  const accounts = [...new Set(moves.flatMap(({ from, to }) => [from, to]))].filter((id) => !/^0+$/.test(id));
  const isNamed = (id: Hex): boolean => rest.some(({ from, to }) => from === id || to === id);
  const isThere = (id: Hex): boolean => accounts.includes(id) || isNamed(id);
  const able = accounts.filter((id) => id !== sender && !allSettlements.has(id) && !pools.has(id));
  const all = (id: Hex): bigint[] => moves.map(({ token }) => net(id, token));
  const first = (id: Hex, side: 'from' | 'to'): number => moves.findIndex((each) => each[side] === id);
  const gaveFirst = (id: Hex): boolean =>
    first(id, 'from') >= 0 && (first(id, 'to') < 0 || first(id, 'from') < first(id, 'to'));
  const gavers = able
    .filter((id) => all(id).some((each) => each < 0n))
    .sort((a, b) => first(a, 'from') - first(b, 'from'));
  let found: Hex[];
  if ([...allSettlements].some(isThere)) {
    found = gavers.filter(gaveFirst);
    const direct = found.filter((id) => moves.some(({ from, to }) => from === id && allSettlements.has(to)));
    if (direct.length > 0) found = direct;
    if (found.length === 0 && [...settlementsForOthers].some(isThere) && rest.some(({ input }) => input === coin))
      found = able.filter((id) => all(id).every((each) => each >= 0n));
  } else {
    if (tokens.every((token) => balance(token) >= 0n) || tokens.every((token) => balance(token) <= 0n)) return sender;
    const gaveInput = gavers.filter((id) => rest.some(({ input }) => net(id, input) < 0n));
    found = gaveInput.filter((id) => (gaveFirst(id) || isNamed(id)) && rest.some(({ output }) => net(id, output) > 0n));
    if (found.length === 0 && rest.some(({ output }) => output === coin))
      found = gaveInput.filter((id) => all(id).every((each) => each <= 0n));
  }
  const near = (amount: bigint, swapped: bigint): boolean =>
    amount * 20n >= swapped * 19n && amount * 20n <= swapped * 21n;
  const best = (amountOf: (id: Hex) => bigint): Hex | undefined =>
    found.filter((id) => amountOf(id) > 0n).sort((a, b) => (amountOf(a) < amountOf(b) ? 1 : -1))[0];
  const { input, output, taken, given } = leg;
  return (
    found.find((id) => near(-net(id, input), taken) || near(net(id, output), given)) ??
    best((id) => -net(id, input)) ??
    best((id) => net(id, output)) ??
    (found.length === 1 ? found[0]! : sender)
  );
}

interface Leg {
  ordinal: number;
  pool: Hex;
  from: Hex;
  to: Hex;
  input: Hex;
  output: Hex;
  taken: bigint;
  given: bigint;
}

function legOf(
  { ordinal, pool, sender, recipient, amount0, amount1 }: SwapEvent,
  pools: ReadonlyMap<Hex, PoolRecord>,
): Leg[] {
  const record = pools.get(pool);
  if (record === undefined || amount0 * amount1 >= 0n) return [];
  const of = { ordinal, pool, from: sender, to: recipient };
  return amount0 > 0n
    ? [{ ...of, input: record.token0, output: record.token1, taken: amount0, given: -amount1 }]
    : [{ ...of, input: record.token1, output: record.token0, taken: amount1, given: -amount0 }];
}

/** Whether a leg is the first of its pool after some transfer of the token to the pool by the token itself. */
const firstSale = (leg: Leg, legs: readonly Leg[], transfers: readonly TransferEvent[]): boolean =>
  transfers.some(
    ({ token, from, to, ordinal }) =>
      from === token &&
      legs.find((one) => one.input === token && one.pool === to && one.ordinal > ordinal)?.ordinal === leg.ordinal,
  );

const sum = (list: readonly { amount: bigint }[]): bigint => list.reduce((total, { amount }) => total + amount, 0n);
