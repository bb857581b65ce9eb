import type {
  ChainEvent,
  InitializeEvent,
  LiquidityEvent,
  PaymentEvent,
  PoolFlowEvent,
  PoolVaultsEvent,
  ReservesEvent,
  SwapEvent,
  TransferEvent,
  VaultsEvent,
} from '../blocks.js';
import { unencodable } from './byte-writer.js';
import { readDeltas, readFlags, readIds, readSigned, readUnsigned, readVarints } from './columns.js';
import { type EventCodec, eventColumns } from './event-columns.js';
import type { GroupReader, GroupWriter } from './group-frame.js';
import { authorities, launches, metadata } from './token-events.js';

const swaps: EventCodec<SwapEvent> = {
  write(out, events) {
    for (const event of events) out.id(event.pool);
    for (const event of events) out.id(event.sender);
    for (const event of events) out.id(event.recipient);
    for (const event of events) out.signed(event.amount0);
    for (const event of events) out.signed(event.amount1);
    for (const event of events) out.u8(event.after === null ? 0 : 1);
    for (const { after } of events) if (after !== null) out.unsigned(after.sqrtPriceX96);
    for (const { after } of events) if (after !== null) out.unsigned(after.liquidity);
    for (const { after } of events) if (after !== null) out.varint(after.tick);
  },
  read(input, count) {
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
    const ticks = readVarints(input, withState);
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
  },
};

/**
 * The events of a block: columns common to all kinds (kind, tx, ordinal) in chain order, then for each kind its own
 * columns. Invariant: ordinals ascend strictly and `tx` names a transaction of the block, on both ways. The number of a kind is its
 * place here, which is also the order of the kinds' columns: the list only grows at its end. A block without events of a kind has
 * not a byte of its columns.
 */
const CODECS_BY_KIND: { readonly [Kind in ChainEvent['kind']]: EventCodec } = {
  swap: swaps,
  reserves: eventColumns<ReservesEvent>('reserves', { pool: 'id', reserve0: 'unsigned', reserve1: 'unsigned' }),
  liquidity: eventColumns<LiquidityEvent>('liquidity', {
    ...{ pool: 'id', owner: 'id', tickLower: 'varint', tickUpper: 'varint' },
    ...{ liquidityDelta: 'signed', amount0: 'signed', amount1: 'signed' },
  }),
  flow: eventColumns<PoolFlowEvent>('flow', { pool: 'id', amount0: 'signed', amount1: 'signed' }),
  initialize: eventColumns<InitializeEvent>('initialize', { pool: 'id', sqrtPriceX96: 'unsigned', tick: 'varint' }),
  transfer: eventColumns<TransferEvent>('transfer', { token: 'id', from: 'id', to: 'id', amount: 'unsigned' }),
  'pool-vaults': eventColumns<PoolVaultsEvent>('pool-vaults', { pool: 'id', vault0: 'id', vault1: 'id' }),
  vaults: eventColumns<VaultsEvent>('vaults', { pool: 'id', reserve0: 'unsignedOrNull', reserve1: 'unsignedOrNull' }),
  authority: authorities,
  metadata,
  launch: launches,
  payment: eventColumns<PaymentEvent>('payment', { wallet: 'id', paid: 'signed', fees: 'unsigned' }),
};
const CODECS = Object.values(CODECS_BY_KIND);
const KIND_CODES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(CODECS_BY_KIND).map((kind, code) => [kind, code]),
);

export function writeEvents(out: GroupWriter, events: readonly ChainEvent[], txCount: number): void {
  const byKind: ChainEvent[][] = CODECS.map(() => []);
  out.varuint(events.length);
  for (const event of events) {
    const code = KIND_CODES[event.kind] ?? unencodable(`event kind ${String(event.kind)}`);
    out.u8(code);
    byKind[code]!.push(event);
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
  for (const [code, ofKind] of byKind.entries()) if (ofKind.length > 0) CODECS[code]!.write(out, ofKind);
}

export function readEvents(input: GroupReader, txCount: number): ChainEvent[] {
  const count = input.count(3);
  const kinds = input.raw(count);
  const counts: number[] = CODECS.map(() => 0);
  for (const kind of kinds) {
    if (kind >= counts.length) input.fail(`unknown event kind ${kind}`);
    counts[kind]!++;
  }
  const txs = readDeltas(input, count);
  for (const tx of txs) if (tx < 0 || tx >= txCount) input.fail(`event of transaction ${tx} of ${txCount}`);
  const ordinals = readOrdinals(input, count);
  const next = CODECS.map((codec, kind) => codec.read(input, counts[kind]!));
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
