import type { LogInput } from './event-decoder.js';
import { HexText } from './hex-text.js';
import type { RpcLog } from './rpc-shapes.js';

/** A log of a node's answer, checked for shape: what decoders read and what ties it to its block and transaction. */
export interface EvmLog extends LogInput {
  readonly blockNumber: number;
  /** 0x-prefixed, as they came. */
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  /** Position in the block: the ordinal of its event. */
  readonly logIndex: number;
  readonly removed: boolean;
}

/**
 * The logs of one answer in columns: thousands wait for their turn at the same time, and a few long columns cost the
 * collector nothing where as many objects are copied from generation to generation. `bytes` holds the data of all logs.
 */
export class LogBatch {
  private readonly addresses: string[] = [];
  private readonly topics: string[] = [];
  private readonly topicEnds: number[] = [];
  private readonly dataStarts: number[] = [];
  private readonly dataDigits: number[] = [];
  private readonly blockNumbers: number[] = [];
  private readonly blockHashes: string[] = [];
  private readonly transactionHashes: string[] = [];
  private readonly transactionIndexes: number[] = [];
  private readonly logIndexes: number[] = [];
  private readonly removals: boolean[] = [];

  constructor(readonly bytes: Uint8Array) {}

  get length(): number {
    return this.addresses.length;
  }

  addTopic(topic: string): void {
    this.topics.push(topic);
  }

  /** Ends the log whose topics were added; its data are digits of `bytes`. */
  add(log: Omit<EvmLog, 'topics' | 'data'>, dataStart: number, dataDigits: number): void {
    this.addresses.push(log.address);
    this.topicEnds.push(this.topics.length);
    this.dataStarts.push(dataStart);
    this.dataDigits.push(dataDigits);
    this.blockNumbers.push(log.blockNumber);
    this.blockHashes.push(log.blockHash);
    this.transactionHashes.push(log.transactionHash);
    this.transactionIndexes.push(log.transactionIndex);
    this.logIndexes.push(log.logIndex);
    this.removals.push(log.removed);
  }

  blockNumberAt(index: number): number {
    return this.blockNumbers[index]!;
  }

  /** Addresses and topics of some consecutive logs: first the ones, then the others. */
  eachName(from: number, to: number, take: (prefixed: string) => void): void {
    const { addresses, topics, topicEnds } = this;
    for (let n = from; n < to; n++) take(addresses[n]!);
    const end = to === 0 ? 0 : topicEnds[to - 1]!;
    for (let n = from === 0 ? 0 : topicEnds[from - 1]!; n < end; n++) take(topics[n]!);
  }

  /** Whether some consecutive logs are numbered from 0 on without a gap. */
  isNumbered(from: number, to: number): boolean {
    for (let n = from; n < to; n++) if (this.logIndexes[n] !== n - from) return false;
    return true;
  }

  /** Puts one log into a view. */
  show(index: number, view: LogView): void {
    const start = index === 0 ? 0 : this.topicEnds[index - 1]!;
    const count = this.topicEnds[index]! - start;
    const topics = view.topicsOf(count);
    for (let k = 0; k < count; k++) topics[k] = this.topics[start + k]!;
    view.topics = topics;
    view.address = this.addresses[index]!;
    view.data.point(this.bytes, this.dataStarts[index]!, this.dataDigits[index]!);
    view.blockNumber = this.blockNumbers[index]!;
    view.blockHash = this.blockHashes[index]!;
    view.transactionHash = this.transactionHashes[index]!;
    view.transactionIndex = this.transactionIndexes[index]!;
    view.logIndex = this.logIndexes[index]!;
    view.removed = this.removals[index]!;
  }

  /**
   * The same logs in the order of the chain, each once: some nodes give them in another order, or one of them twice. Two
   * logs that differ at one place stay two.
   */
  ordered(): LogBatch {
    if (this.isOrdered()) return this;
    const places = Array.from({ length: this.length }, (_, n) => n).sort(
      (a, b) => this.blockNumbers[a]! - this.blockNumbers[b]! || this.logIndexes[a]! - this.logIndexes[b]! || a - b,
    );
    const batch = new LogBatch(this.bytes);
    const [view, last] = [new LogView(), new LogView()];
    for (const [n, place] of places.entries()) {
      this.show(place, view);
      if (n > 0) this.show(places[n - 1]!, last);
      if (n > 0 && sameLog(view, last)) continue;
      for (const topic of view.topics) batch.addTopic(topic);
      batch.add(view, view.data.start, view.data.digits);
    }
    return batch;
  }

  private isOrdered(): boolean {
    const { blockNumbers, logIndexes } = this;
    for (let n = 1; n < blockNumbers.length; n++) {
      const [before, own] = [blockNumbers[n - 1]!, blockNumbers[n]!];
      if (own < before || (own === before && logIndexes[n]! <= logIndexes[n - 1]!)) return false;
    }
    return true;
  }

  slice(from = 0, to = this.length): LogSlice {
    return new LogSlice(this, from, to);
  }

  /** Raw logs of an answer as a batch; null when one of them is malformed. */
  static of(logs: readonly RpcLog[]): LogBatch | null {
    if (!logs.every(isWellFormed)) return null;
    const batch = new LogBatch(Buffer.from(logs.map((log) => log.data).join(''), 'latin1'));
    let at = 0;
    for (const log of logs) {
      const { data } = log;
      const [address, blockHash, transactionHash] = [log.address, log.blockHash, log.transactionHash].map(lowerCase);
      for (const topic of log.topics) batch.addTopic(lowerCase(topic));
      const [blockNumber, transactionIndex, logIndex] = [log.blockNumber, log.transactionIndex, log.logIndex].map(
        Number,
      );
      batch.add(
        {
          ...{ address: address!, blockHash: blockHash!, transactionHash: transactionHash! },
          removed: log.removed === true,
          ...{ blockNumber: blockNumber!, transactionIndex: transactionIndex!, logIndex: logIndex! },
        },
        at + 2,
        data.length - 2,
      );
      at += data.length;
    }
    return batch;
  }
}

/** Some consecutive logs of a batch. */
export class LogSlice {
  constructor(
    private readonly batch: LogBatch,
    private readonly from: number,
    private readonly to: number,
  ) {}

  static readonly none = new LogSlice(new LogBatch(new Uint8Array(0)), 0, 0);

  get length(): number {
    return this.to - this.from;
  }

  /** The log that is given is a view: it holds until the function returns and must not be kept. */
  each(take: (log: EvmLog) => void): void {
    const view = new LogView();
    for (let index = this.from; index < this.to; index++) {
      this.batch.show(index, view);
      take(view);
    }
  }

  /** Its addresses and topics, in any order. */
  eachName(take: (prefixed: string) => void): void {
    this.batch.eachName(this.from, this.to, take);
  }

  /** Whether the logs are numbered from 0 on without a gap. */
  get isNumbered(): boolean {
    return this.batch.isNumbered(this.from, this.to);
  }

  /** Logs that may be kept. */
  toArray(): EvmLog[] {
    return Array.from({ length: this.length }, (_, n) => {
      const view = new LogView();
      this.batch.show(this.from + n, view);
      return view;
    });
  }

  /** Those of its logs that are wanted; the batch is shared when all are. */
  filter(wanted: (log: EvmLog) => boolean): LogSlice {
    let all = true;
    this.each((log) => {
      all &&= wanted(log);
    });
    if (all) return this;
    const kept = new LogBatch(this.batch.bytes);
    this.each((log) => {
      if (!wanted(log)) return;
      for (const topic of log.topics) kept.addTopic(topic);
      kept.add(log, log.data.start, log.data.digits);
    });
    return kept.slice();
  }
}

class LogView implements EvmLog {
  address = '';
  topics: string[] = [];
  readonly data = new HexText(new Uint8Array(0), 0, 0);
  blockNumber = 0;
  blockHash = '';
  transactionHash = '';
  transactionIndex = 0;
  logIndex = 0;
  removed = false;
  /** One list for each number of topics. */
  private readonly lists: string[][] = [];

  topicsOf(count: number): string[] {
    let list = this.lists[count];
    if (list === undefined) {
      list = new Array<string>(count).fill('');
      this.lists[count] = list;
    }
    return list;
  }
}

function sameLog(a: EvmLog, b: EvmLog): boolean {
  const same = a.blockHash === b.blockHash && a.logIndex === b.logIndex && a.transactionHash === b.transactionHash;
  return same && a.address === b.address && a.topics.join() === b.topics.join() && a.data.equals(b.data);
}

const lowerCase = (hex: string): string => hex.toLowerCase();

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const WORD = /^0x[0-9a-f]{64}$/i;
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;
const DATA = /^0x[0-9a-f]*$/i;

function isWellFormed(log: RpcLog): boolean {
  if (typeof log !== 'object' || log === null) return false;
  const { address, topics, data, blockHash, transactionHash, blockNumber, transactionIndex, logIndex } = log;
  return (
    ADDRESS.test(address) &&
    typeof data === 'string' &&
    DATA.test(data) &&
    Array.isArray(topics) &&
    topics.every((topic) => WORD.test(topic)) &&
    [blockHash, transactionHash].every((hash) => WORD.test(hash)) &&
    [blockNumber, transactionIndex, logIndex].every((quantity) => QUANTITY.test(quantity))
  );
}
