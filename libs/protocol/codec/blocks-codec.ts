import {
  type BlockGroup,
  type BlocksGroup,
  blockProofs,
  type PoolAnchor,
  type PoolRecord,
  type TxRecord,
} from '../blocks.js';
import { hasExtras, readExtras, writeExtras } from './block-extras.js';
import { unencodable } from './byte-writer.js';
import { hasMetadata, readEvents, writeEvents } from './chain-events.js';
import { readDeltas, readIds, writeDeltas } from './columns.js';
import { GroupReader, GroupWriter } from './group-frame.js';
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

/**
 * Binary form of a group of `blocks.<chain>`. A bijection between valid groups and bytes: decode(encode(g)) equals g, and
 * encode(decode(b)) equals b. Anything else throws UndecodableError on decoding and `unencodable` on encoding.
 */
export function encodeBlocksGroup(group: BlocksGroup): Uint8Array {
  writer.reset();
  switch (group.kind) {
    case 'epoch':
      writeReferenceSet(writer, group.reference);
      break;
    case 'block':
      writeBlock(writer, group);
      break;
    case 'retract':
      writer.varuint(group.fromSeq);
      break;
    case 'finalize':
      writer.varint(group.finalizedHeight);
      break;
    default:
      unencodable(`group kind ${String((group as BlocksGroup).kind)}`);
  }
  return writer.finish('blocks', group.kind, group, '');
}

export function decodeBlocksGroup(bytes: Uint8Array): BlocksGroup {
  const input = new GroupReader(bytes, 'blocks');
  const group = readBody(input);
  input.finish();
  return group;
}

/**
 * Whether a group has more to say of tokens and their metadata than that blocks passed: true for every group that is no block. Of
 * a block only what comes before its events is decoded.
 */
export function tellsOfTokens(bytes: Uint8Array): boolean {
  const input = new GroupReader(bytes, 'blocks');
  if (input.header.kind !== 'block') return true;
  input.u8();
  input.varint();
  readTxs(input);
  if (readTokens(input).length > 0) return true;
  readPools(input);
  return hasMetadata(input);
}

/** The pools that a group names; of a block only what comes before its events is decoded. */
export function poolsNamed(bytes: Uint8Array): PoolRecord[] {
  const input = new GroupReader(bytes, 'blocks');
  if (input.header.kind !== 'block') return [];
  input.u8();
  input.varint();
  readTxs(input);
  readTokens(input);
  return readPools(input);
}

const writer = new GroupWriter();
const INCOMPLETE = 16;
const EXTRAS = 32;
const BLOCK_SOURCES: readonly BlockGroup['source'][] = ['stream', 'http', 'history'];

function readBody(input: GroupReader): BlocksGroup {
  const { kind, chain, epoch, seq, height, hash, parentHash, time } = input.header;
  switch (kind) {
    case 'epoch':
      return { kind, chain, epoch, seq, height, hash, parentHash, time, reference: readReferenceSet(input) };
    case 'block': {
      const { extras: more, ...origin } = readOrigin(input);
      const observedAt = input.varint();
      const txs = readTxs(input);
      const tokens = readTokens(input);
      const pools = readPools(input);
      const events = readEvents(input, txs.length);
      const anchors = readAnchors(input);
      const extras = more ? readExtras(input, txs.length) : {};
      const envelope = { chain, epoch, seq, height, hash, parentHash, time };
      return { kind, ...envelope, ...origin, observedAt, txs, tokens, pools, events, anchors, ...extras };
    }
    case 'retract':
      return { kind, chain, epoch, seq, height, hash, parentHash, time, fromSeq: input.varuint() };
    case 'finalize':
      return { kind, chain, epoch, seq, height, hash, parentHash, time, finalizedHeight: input.varint() };
  }
}

function writeBlock(out: GroupWriter, block: BlockGroup): void {
  out.u8(originByte(block));
  out.varint(block.observedAt);
  writeTxs(out, block.txs);
  writeTokens(out, block.tokens);
  writePools(out, block.pools);
  writeEvents(out, block.events, block.txs.length);
  writeAnchors(out, block.anchors);
  if (hasExtras(block)) writeExtras(out, block, block.txs.length);
}

type Origin = Pick<BlockGroup, 'source' | 'proof' | 'incomplete'> & { readonly extras: boolean };

/** One byte: the source in its lowest two bits, the proof in the next two (0: not said), then whether it is incomplete, and has extras. */
function originByte(block: BlockGroup): number {
  const { source, proof, incomplete } = block;
  const place = BLOCK_SOURCES.indexOf(source);
  if (place < 0) unencodable(`source ${String(source)}`);
  const checked = proof === undefined ? 0 : blockProofs.indexOf(proof) + 1;
  if (proof !== undefined && checked === 0) unencodable(`proof ${String(proof)}`);
  return place + (checked << 2) + (incomplete === true ? INCOMPLETE : 0) + (hasExtras(block) ? EXTRAS : 0);
}

function readOrigin(input: GroupReader): Origin {
  const byte = input.u8();
  const source = sourceIn(byte) ?? input.fail('unknown source');
  const checked = (byte >> 2) & 3;
  if (byte >= 2 * EXTRAS) input.fail('unknown origin');
  return {
    source,
    ...(checked > 0 && { proof: blockProofs[checked - 1]! }),
    ...((byte & INCOMPLETE) !== 0 && { incomplete: true as const }),
    extras: (byte & EXTRAS) !== 0,
  };
}

/** The source in the byte that a block begins with; undefined for an unknown one. */
export const sourceIn = (byte: number): BlockGroup['source'] | undefined => BLOCK_SOURCES[byte & 3];

function writeTxs(out: GroupWriter, txs: readonly TxRecord[]): void {
  out.varuint(txs.length);
  for (const tx of txs) out.id(tx.id);
  writeDeltas(out, txs, (tx) => tx.index);
  for (const tx of txs) out.id(tx.sender);
}

function readTxs(input: GroupReader): TxRecord[] {
  const count = input.count(3);
  const ids = readIds(input, count);
  const indexes = readDeltas(input, count);
  const senders = readIds(input, count);
  const txs: TxRecord[] = [];
  for (let i = 0; i < count; i++) txs.push({ id: ids[i]!, index: indexes[i]!, sender: senders[i]! });
  return txs;
}

/** What follows the reserves of an anchor. */
const ANCHOR_RESERVES = 0;
const ANCHOR_TICKS = 1;
const ANCHOR_NEAR = 2;

function writeAnchors(out: GroupWriter, anchors: readonly PoolAnchor[]): void {
  out.varuint(anchors.length);
  for (const { pool, reserve0, reserve1, concentrated, near } of anchors) {
    out.id(pool);
    out.unsigned(reserve0);
    out.unsigned(reserve1);
    if (concentrated !== null) {
      out.u8(ANCHOR_TICKS);
      out.unsigned(concentrated.sqrtPriceX96);
      out.varint(concentrated.tick);
      out.unsigned(concentrated.liquidity);
      writeTicks(out, concentrated.ticks);
    } else if (near !== undefined) {
      out.u8(ANCHOR_NEAR);
      for (const number of [near.sqrtPriceX96, near.amount0, near.amount1]) out.unsigned(number);
    } else out.u8(ANCHOR_RESERVES);
  }
}

function readAnchors(input: GroupReader): PoolAnchor[] {
  const anchors: PoolAnchor[] = [];
  for (let left = input.count(4); left > 0; left--) {
    const [pool, reserve0, reserve1] = [input.id(), input.unsigned(), input.unsigned()];
    const form = input.u8();
    if (form > ANCHOR_NEAR) input.fail('unknown form of an anchor');
    const concentrated = form === ANCHOR_TICKS ? readRanges(input) : null;
    const anchor: PoolAnchor = { pool, reserve0, reserve1, concentrated };
    if (form === ANCHOR_NEAR)
      anchor.near = { sqrtPriceX96: input.unsigned(), amount0: input.unsigned(), amount1: input.unsigned() };
    anchors.push(anchor);
  }
  return anchors;
}

const readRanges = (input: GroupReader): NonNullable<PoolAnchor['concentrated']> => ({
  sqrtPriceX96: input.unsigned(),
  tick: input.varint(),
  liquidity: input.unsigned(),
  ticks: readTicks(input),
});
