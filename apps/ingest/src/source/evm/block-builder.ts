import { decodeTransfer, TRANSFER_TOPIC } from '#libs/chain/chains/evm/erc20/transfer.js';
import { DEPOSIT_TOPIC, WITHDRAWAL_TOPIC } from '#libs/chain/chains/evm/erc20/wrapped-coin.js';
import type { EventDecoder } from '#libs/chain/chains/evm/event-decoder.js';
import type { EvmLog } from '#libs/chain/chains/evm/log-batch.js';
import { idOf, withoutPrefix } from '#libs/chain/chains/evm/words.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { PoolEventReader } from '#libs/chain/market-ports/evm/evm-venue.js';
import { LogBrokenError } from '#libs/core/errors.js';
import type { ChainEvent, PoolAnchor, PoolRecord, RawLog, TokenRecord, TxRecord } from '#libs/protocol/blocks.js';
import { CoinWraps } from './coin-wraps.js';
import type { Discovery } from './discovery.js';
import type { KnownEvmPool, KnownSet } from './known-set.js';
import type { RawBlock } from './raw-block.js';
import type { TopicSet } from './topic-set.js';

/**
 * Turns a checked raw block into the record of the log and follows it in the known set. Otherwise pure: what the node
 * had to be asked comes in as a discovery. A pool or token is recorded in the first block that needs it, a token again once more
 * of it is known. A log that nothing decodes is kept as it is where it is of an event for later versions.
 */
export class BlockBuilder {
  constructor(
    private readonly topics: TopicSet,
    private readonly known: KnownSet,
    /** Whether the epoch is of this program's decoders: others may not know of logs in a block. */
    private readonly keepsLogs: boolean,
  ) {}

  build(raw: RawBlock, discovery: Discovery): SourceBlock {
    const work = new BlockWork(raw, discovery, this.topics, this.known, this.keepsLogs);
    return work.run();
  }
}

class BlockWork {
  private readonly txs: TxRecord[] = [];
  private readonly tokens: TokenRecord[] = [];
  private readonly pools: PoolRecord[] = [];
  private readonly events: ChainEvent[] = [];
  private readonly anchors: PoolAnchor[] = [];
  private readonly logs: RawLog[] = [];
  private readonly wraps: CoinWraps;
  private lastTx = -1;

  constructor(
    private readonly raw: RawBlock,
    private readonly discovery: Discovery,
    private readonly topics: TopicSet,
    private readonly known: KnownSet,
    private readonly keepsLogs: boolean,
  ) {
    this.wraps = new CoinWraps(topics.coin);
  }

  run(): SourceBlock {
    for (const id of this.discovery.foreign) this.known.addForeign(id);
    this.raw.logs.each((log) => this.take(log));
    this.addAnchors();
    this.tellMore();
    const { height, hash, parentHash, time } = this.raw.header;
    const { source, observedAt, proof } = this.raw;
    const { txs, tokens, pools, events, anchors, logs } = this;
    const block = { height, hash, parentHash, time, source, observedAt, proof, txs, tokens, pools, events, anchors };
    return logs.length === 0 ? block : { ...block, logs };
  }

  private take(log: EvmLog): void {
    const topic = log.topics[0]!;
    if (topic === TRANSFER_TOPIC) {
      this.push(log, this.wraps.isOf(log) ? this.wraps.decode : decodeTransfer);
      return;
    }
    if (topic === DEPOSIT_TOPIC || topic === WITHDRAWAL_TOPIC) {
      if (this.wraps.isOf(log)) this.push(log, this.wraps.decode);
      return;
    }
    const launch = this.topics.launchOf(log);
    if (launch !== undefined) {
      this.push(log, launch);
      return;
    }
    // A creation may also be the pool's first event.
    if (this.topics.creations.has(topic)) this.takeCreation(log);
    const reader = this.topics.poolEvents.get(topic);
    const decoder = reader && this.poolOf(log, reader)?.venue.events[topic];
    if (decoder) this.push(log, decoder.decode);
    else if (this.keepsLogs && this.topics.keeps(log)) this.keep(log);
  }

  private push(log: EvmLog, decode: EventDecoder): void {
    const event = decode(log, this.placeOf(log), log.logIndex);
    if (!event) return;
    this.events.push(event);
    this.addTx(log);
  }

  private keep(log: EvmLog): void {
    const { address, topics, data, logIndex: ordinal } = log;
    const named = { address: withoutPrefix(address), topics: topics.map(withoutPrefix) };
    this.logs.push({ tx: this.placeOf(log), ordinal, ...named, data: data.slice(0, data.digits).toLowerCase() });
    this.addTx(log);
  }

  /** Transactions follow each other: only the last one can be meant again. */
  private placeOf({ transactionIndex }: EvmLog): number {
    return this.lastTx === transactionIndex ? this.txs.length - 1 : this.txs.length;
  }

  private addTx(log: EvmLog): void {
    const index = log.transactionIndex;
    if (this.lastTx === index) return;
    const sender = this.raw.senders.get(index);
    if (sender === undefined)
      throw new LogBrokenError(`no sender for transaction ${index} of ${this.raw.header.height}`);
    this.txs.push({ id: idOf(log.transactionHash), index, sender: withoutPrefix(sender) });
    this.lastTx = index;
  }

  private poolOf(log: EvmLog, reader: PoolEventReader): KnownEvmPool | undefined {
    const id = this.topics.poolOf(log, reader);
    if (id === null) return undefined;
    const pool = this.known.pool(id);
    if (pool) return pool;
    const found = this.discovery.pools.get(id);
    return found && this.record(found);
  }

  private takeCreation(log: EvmLog): void {
    const record = this.topics.created(log);
    if (record && !this.known.pool(record.pool)) this.record(record);
  }

  private record(pool: PoolRecord): KnownEvmPool | undefined {
    const { height } = this.raw.header;
    for (const token of [pool.token0, pool.token1]) {
      if (this.known.knowsToken(token, height)) continue;
      const metadata = this.discovery.tokens.get(token);
      if (!metadata) throw new LogBrokenError(`no metadata of token ${token} of pool ${pool.pool}`);
      this.tokens.push(metadata);
      this.known.told(metadata, height);
    }
    this.pools.push(pool);
    return this.known.addPool(pool, height);
  }

  /** What contracts that were asked again say now and did not say before. */
  private tellMore(): void {
    const { height } = this.raw.header;
    for (const { height: readAt, record } of this.discovery.again.values()) {
      if (readAt !== height || !this.known.tellsMore(record)) continue;
      this.tokens.push(record);
      this.known.told(record, height);
    }
  }

  private addAnchors(): void {
    const { height } = this.raw.header;
    for (const [id, { height: readAt, anchor }] of this.discovery.anchors) {
      if (readAt === height && this.known.needsAnchor(id)) this.addAnchor(anchor);
    }
    // The last reserves that a pool states are its state at the end of the block.
    for (const { pool } of this.pools) {
      if (!this.known.needsAnchor(pool) || !this.known.pool(pool)!.venue.anchor.statedByEvents) continue;
      const sync = this.events.findLast((event) => event.kind === 'reserves' && event.pool === pool);
      if (sync?.kind !== 'reserves') continue;
      this.addAnchor({ pool, reserve0: sync.reserve0, reserve1: sync.reserve1, concentrated: null });
    }
  }

  private addAnchor(anchor: PoolAnchor): void {
    this.anchors.push(anchor);
    this.known.anchored(anchor.pool, this.raw.header.height);
  }
}
