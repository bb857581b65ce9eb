import type { FactsGroup, PoolStateFact, PriceFact, ReferencePrice, TransferFact } from '../facts.js';
import { unencodable } from './byte-writer.js';
import { readDeltas, readIds, readUnsigned, writeDeltas } from './columns.js';
import { GroupReader, GroupWriter } from './group-frame.js';
import { standingCode, standingOf } from './pool-standing.js';
import {
  readPools,
  readReferenceSet,
  readTicks,
  readTokens,
  writePools,
  writeReferenceSet,
  writeTicks,
  writeTokens,
} from './registry-records.js';
import { readTrades, writeTrades } from './trade-facts.js';

/**
 * Binary form of a group of `facts.<chain>`. The same bijection as the blocks codec: it lets a refold compare encoded
 * groups by their hash.
 */
export function encodeFactsGroup(group: FactsGroup): Uint8Array {
  writer.reset();
  switch (group.kind) {
    case 'epoch':
      writeReferenceSet(writer, group.reference);
      break;
    case 'block':
      writeTrades(writer, group.trades);
      writeTransfers(writer, group.transfers);
      writeTokens(writer, group.tokens);
      writePools(writer, group.pools);
      writePoolStates(writer, group.poolStates);
      writePrices(writer, group.prices);
      writeReferences(writer, group.references);
      break;
    case 'retract':
      writer.varuint(group.fromSeq);
      writePoolStates(writer, group.poolStates);
      writePrices(writer, group.prices);
      writeReferences(writer, group.references);
      writeIdList(writer, group.removedPools);
      writeIdList(writer, group.removedTokens);
      break;
    case 'finalize':
      writer.varint(group.finalizedHeight);
      break;
    default:
      unencodable(`group kind ${String((group as FactsGroup).kind)}`);
  }
  return writer.finish('facts', group.kind, group, group.inputHash);
}

export function decodeFactsGroup(bytes: Uint8Array): FactsGroup {
  const input = new GroupReader(bytes, 'facts');
  const group = readBody(input);
  input.finish();
  return group;
}

const writer = new GroupWriter();

function readBody(input: GroupReader): FactsGroup {
  const { kind, chain, epoch, seq, height, hash, parentHash, time } = input.header;
  const inputHash = input.header.inputHash ?? '';
  const envelope = { chain, epoch, seq, height, hash, parentHash, time, inputHash };
  switch (kind) {
    case 'epoch':
      return { kind, ...envelope, reference: readReferenceSet(input) };
    case 'block':
      return {
        kind,
        ...envelope,
        trades: readTrades(input),
        transfers: readTransfers(input),
        tokens: readTokens(input),
        pools: readPools(input),
        poolStates: readPoolStates(input),
        prices: readPrices(input),
        references: readReferences(input),
      };
    case 'retract':
      return {
        kind,
        ...envelope,
        fromSeq: input.varuint(),
        poolStates: readPoolStates(input),
        prices: readPrices(input),
        references: readReferences(input),
        removedPools: readIds(input, input.count(1)),
        removedTokens: readIds(input, input.count(1)),
      };
    case 'finalize':
      return { kind, ...envelope, finalizedHeight: input.varint() };
  }
}

function writeTransfers(out: GroupWriter, transfers: readonly TransferFact[]): void {
  out.varuint(transfers.length);
  writeDeltas(out, transfers, (transfer) => transfer.ordinal);
  for (const transfer of transfers) out.id(transfer.tx);
  for (const transfer of transfers) out.id(transfer.token);
  for (const transfer of transfers) out.id(transfer.from);
  for (const transfer of transfers) out.id(transfer.to);
  for (const transfer of transfers) out.unsigned(transfer.amount);
}

function readTransfers(input: GroupReader): TransferFact[] {
  const count = input.count(6);
  const ordinals = readDeltas(input, count);
  const txs = readIds(input, count);
  const tokens = readIds(input, count);
  const from = readIds(input, count);
  const to = readIds(input, count);
  const amounts = readUnsigned(input, count);
  const transfers: TransferFact[] = [];
  for (let i = 0; i < count; i++) {
    transfers.push({
      ordinal: ordinals[i]!,
      tx: txs[i]!,
      token: tokens[i]!,
      from: from[i]!,
      to: to[i]!,
      amount: amounts[i]!,
    });
  }
  return transfers;
}

function writePoolStates(out: GroupWriter, states: readonly PoolStateFact[]): void {
  out.varuint(states.length);
  for (const state of states) {
    out.id(state.pool);
    out.unsigned(state.reserve0);
    out.unsigned(state.reserve1);
    out.u8(standingCode(state));
    out.u8(state.concentrated === null ? 0 : 1);
    if (state.concentrated === null) continue;
    out.unsigned(state.concentrated.sqrtPriceX96);
    out.varint(state.concentrated.tick);
    out.unsigned(state.concentrated.liquidity);
    out.u8(state.concentrated.ticksComplete ? 1 : 0);
    writeTicks(out, state.concentrated.ticks);
  }
}

function readPoolStates(input: GroupReader): PoolStateFact[] {
  const states: PoolStateFact[] = [];
  for (let left = input.count(5); left > 0; left--) {
    const pool = input.id();
    const reserve0 = input.unsigned();
    const reserve1 = input.unsigned();
    const standing = standingOf(input.u8()) ?? input.fail('unknown standing of a pool');
    const concentrated = input.flag() ? readConcentrated(input) : null;
    states.push({ pool, reserve0, reserve1, concentrated, ...standing });
  }
  return states;
}

function readConcentrated(input: GroupReader): PoolStateFact['concentrated'] {
  const sqrtPriceX96 = input.unsigned();
  const tick = input.varint();
  const liquidity = input.unsigned();
  const ticksComplete = input.flag();
  return { sqrtPriceX96, tick, liquidity, ticks: readTicks(input), ticksComplete };
}

function writePrices(out: GroupWriter, prices: readonly PriceFact[]): void {
  out.varuint(prices.length);
  for (const price of prices) {
    out.id(price.token);
    out.idOrNull(price.pool);
    out.idOrNull(price.quote);
    out.unsignedOrNull(price.spot);
    out.u8(price.level);
  }
}

function readPrices(input: GroupReader): PriceFact[] {
  const prices: PriceFact[] = [];
  for (let left = input.count(5); left > 0; left--) {
    prices.push({
      token: input.id(),
      pool: input.idOrNull(),
      quote: input.idOrNull(),
      spot: input.unsignedOrNull(),
      level: input.u8(),
    });
  }
  return prices;
}

function writeReferences(out: GroupWriter, references: readonly ReferencePrice[]): void {
  out.varuint(references.length);
  for (const reference of references) {
    out.id(reference.token);
    out.unsignedOrNull(reference.usd);
  }
}

function readReferences(input: GroupReader): ReferencePrice[] {
  const references: ReferencePrice[] = [];
  for (let left = input.count(2); left > 0; left--) {
    references.push({ token: input.id(), usd: input.unsignedOrNull() });
  }
  return references;
}

function writeIdList(out: GroupWriter, ids: readonly string[]): void {
  out.varuint(ids.length);
  for (const id of ids) out.id(id);
}
