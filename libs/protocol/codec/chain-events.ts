import type {
  ChainEvent,
  InitializeEvent,
  LiquidityEvent,
  PoolFlowEvent,
  ReservesEvent,
  SwapEvent,
  TransferEvent,
} from '../blocks.js';
import { unencodable } from './byte-writer.js';
import { readDeltas, readFlags, readIds, readSigned, readUnsigned } from './columns.js';
import type { GroupReader, GroupWriter } from './group-frame.js';
import {
  type NextEvent,
  readAuthorities,
  readLaunches,
  readMetadata,
  readPoolVaults,
  readVaults,
  type TokenEvents,
  writeTokenEvents,
} from './token-events.js';

/**
 * The events of a block: columns common to all kinds (kind, tx, ordinal) in chain order, then for each kind its own
 * columns. Invariant: ordinals ascend strictly and `tx` names a transaction of the block, on both ways.
 */
const KINDS = [
  'swap',
  'reserves',
  'liquidity',
  'flow',
  'initialize',
  'transfer',
  'pool-vaults',
  'vaults',
  'authority',
  'metadata',
  'launch',
] as const;
const KIND_CODES: Readonly<Record<string, number>> = Object.fromEntries(KINDS.map((kind, code) => [kind, code]));

export function writeEvents(out: GroupWriter, events: readonly ChainEvent[], txCount: number): void {
  const swaps: SwapEvent[] = [];
  const reserves: ReservesEvent[] = [];
  const liquidity: LiquidityEvent[] = [];
  const flows: PoolFlowEvent[] = [];
  const initializations: InitializeEvent[] = [];
  const transfers: TransferEvent[] = [];
  const others: TokenEvents = { poolVaults: [], vaults: [], authorities: [], metadata: [], launches: [] };
  out.varuint(events.length);
  for (const event of events) {
    out.u8(KIND_CODES[event.kind] ?? unencodable(`event kind ${String(event.kind)}`));
    switch (event.kind) {
      case 'transfer':
        transfers.push(event);
        break;
      case 'swap':
        swaps.push(event);
        break;
      case 'reserves':
        reserves.push(event);
        break;
      case 'liquidity':
        liquidity.push(event);
        break;
      case 'flow':
        flows.push(event);
        break;
      case 'initialize':
        initializations.push(event);
        break;
      case 'pool-vaults':
        others.poolVaults.push(event);
        break;
      case 'vaults':
        others.vaults.push(event);
        break;
      case 'authority':
        others.authorities.push(event);
        break;
      case 'metadata':
        others.metadata.push(event);
        break;
      case 'launch':
        others.launches.push(event);
        break;
    }
  }
  let previousTx = 0;
  for (const { tx } of events) {
    if (tx < 0 || tx >= txCount) unencodable(`event of transaction ${tx} of ${txCount}`);
    out.varint(tx - previousTx);
    previousTx = tx;
  }
  let previousOrdinal = -1;
  for (const { ordinal } of events) {
    if (ordinal <= previousOrdinal) unencodable(`event ordinal ${ordinal} after ${previousOrdinal}`);
    out.varuint(ordinal - previousOrdinal - 1);
    previousOrdinal = ordinal;
  }
  writeSwaps(out, swaps);
  for (const event of reserves) out.id(event.pool);
  for (const event of reserves) out.unsigned(event.reserve0);
  for (const event of reserves) out.unsigned(event.reserve1);
  writeLiquidity(out, liquidity);
  for (const event of flows) out.id(event.pool);
  for (const event of flows) out.signed(event.amount0);
  for (const event of flows) out.signed(event.amount1);
  for (const event of initializations) out.id(event.pool);
  for (const event of initializations) out.unsigned(event.sqrtPriceX96);
  for (const event of initializations) out.varint(event.tick);
  for (const event of transfers) out.id(event.token);
  for (const event of transfers) out.id(event.from);
  for (const event of transfers) out.id(event.to);
  for (const event of transfers) out.unsigned(event.amount);
  writeTokenEvents(out, others);
}

export function readEvents(input: GroupReader, txCount: number): ChainEvent[] {
  const count = input.count(3);
  const kinds = input.raw(count);
  const counts: number[] = KINDS.map(() => 0);
  for (const kind of kinds) {
    if (kind >= counts.length) input.fail(`unknown event kind ${kind}`);
    counts[kind]!++;
  }
  const txs = readDeltas(input, count);
  for (const tx of txs) if (tx < 0 || tx >= txCount) input.fail(`event of transaction ${tx} of ${txCount}`);
  const ordinals = readOrdinals(input, count);
  const next = READERS.map((read, kind) => read(input, counts[kind]!));
  return txs.map((tx, i) => next[kinds[i]!]!(tx, ordinals[i]!));
}

/** Whether there is one that tells of a token's metadata; the events themselves are not read. */
export const hasMetadata = (input: GroupReader): boolean => input.raw(input.count(3)).includes(KIND_CODES.metadata!);

function readOrdinals(input: GroupReader, count: number): number[] {
  const ordinals: number[] = [];
  let previous = -1;
  for (let i = 0; i < count; i++) {
    previous += input.varuint() + 1;
    if (!Number.isSafeInteger(previous)) input.fail('ordinal beyond 2^53');
    ordinals.push(previous);
  }
  return ordinals;
}

function writeSwaps(out: GroupWriter, swaps: readonly SwapEvent[]): void {
  for (const event of swaps) out.id(event.pool);
  for (const event of swaps) out.id(event.sender);
  for (const event of swaps) out.id(event.recipient);
  for (const event of swaps) out.signed(event.amount0);
  for (const event of swaps) out.signed(event.amount1);
  for (const event of swaps) out.u8(event.after === null ? 0 : 1);
  for (const { after } of swaps) if (after !== null) out.unsigned(after.sqrtPriceX96);
  for (const { after } of swaps) if (after !== null) out.unsigned(after.liquidity);
  for (const { after } of swaps) if (after !== null) out.varint(after.tick);
}

function readSwaps(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const senders = readIds(input, count);
  const recipients = readIds(input, count);
  const amounts0 = readSigned(input, count);
  const amounts1 = readSigned(input, count);
  const concentrated = readFlags(input, count);
  let withState = 0;
  for (const flag of concentrated) if (flag) withState++;
  const prices = readUnsigned(input, withState);
  const liquidities = readUnsigned(input, withState);
  const ticks = readTickColumn(input, withState);
  let i = 0;
  let state = 0;
  return (tx, ordinal) => {
    const after = concentrated[i]
      ? { sqrtPriceX96: prices[state]!, liquidity: liquidities[state]!, tick: ticks[state++]! }
      : null;
    return {
      kind: 'swap',
      tx,
      ordinal,
      pool: pools[i]!,
      amount0: amounts0[i]!,
      amount1: amounts1[i]!,
      sender: senders[i]!,
      recipient: recipients[i++]!,
      after,
    };
  };
}

function readReserves(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const reserves0 = readUnsigned(input, count);
  const reserves1 = readUnsigned(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'reserves',
    tx,
    ordinal,
    pool: pools[i]!,
    reserve0: reserves0[i]!,
    reserve1: reserves1[i++]!,
  });
}

function writeLiquidity(out: GroupWriter, events: readonly LiquidityEvent[]): void {
  for (const event of events) out.id(event.pool);
  for (const event of events) out.id(event.owner);
  for (const event of events) out.varint(event.tickLower);
  for (const event of events) out.varint(event.tickUpper);
  for (const event of events) out.signed(event.liquidityDelta);
  for (const event of events) out.signed(event.amount0);
  for (const event of events) out.signed(event.amount1);
}

function readLiquidity(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const owners = readIds(input, count);
  const lower = readTickColumn(input, count);
  const upper = readTickColumn(input, count);
  const deltas = readSigned(input, count);
  const amounts0 = readSigned(input, count);
  const amounts1 = readSigned(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'liquidity',
    tx,
    ordinal,
    pool: pools[i]!,
    owner: owners[i]!,
    tickLower: lower[i]!,
    tickUpper: upper[i]!,
    liquidityDelta: deltas[i]!,
    amount0: amounts0[i]!,
    amount1: amounts1[i++]!,
  });
}

function readFlows(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const amounts0 = readSigned(input, count);
  const amounts1 = readSigned(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'flow',
    tx,
    ordinal,
    pool: pools[i]!,
    amount0: amounts0[i]!,
    amount1: amounts1[i++]!,
  });
}

function readInitializations(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const prices = readUnsigned(input, count);
  const ticks = readTickColumn(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'initialize',
    tx,
    ordinal,
    pool: pools[i]!,
    sqrtPriceX96: prices[i]!,
    tick: ticks[i++]!,
  });
}

function readTransfers(input: GroupReader, count: number): NextEvent {
  const tokens = readIds(input, count);
  const from = readIds(input, count);
  const to = readIds(input, count);
  const amounts = readUnsigned(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'transfer',
    tx,
    ordinal,
    token: tokens[i]!,
    from: from[i]!,
    to: to[i]!,
    amount: amounts[i++]!,
  });
}

function readTickColumn(input: GroupReader, count: number): number[] {
  const ticks: number[] = [];
  for (let i = 0; i < count; i++) ticks.push(input.varint());
  return ticks;
}

/** In the order of KINDS, which is that of their columns. */
const READERS: readonly ((input: GroupReader, count: number) => NextEvent)[] = [
  readSwaps,
  readReserves,
  readLiquidity,
  readFlows,
  readInitializations,
  readTransfers,
  readPoolVaults,
  readVaults,
  readAuthorities,
  readMetadata,
  readLaunches,
];
