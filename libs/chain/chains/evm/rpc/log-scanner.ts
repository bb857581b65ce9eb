import { sameBytes, TextInterner, viewOf } from '#libs/core/text-interner.js';
import { CLOSE, COLON, END, JsonCursor, LIST, OPEN, QUOTE, UNEXPECTED } from '../../rpc/json-cursor.js';
import { DIGIT } from '../hex-text.js';
import { LogBatch } from '../log-batch.js';

/**
 * Reads the answer to one eth_getLogs straight from its bytes: several times cheaper than JSON.parse, which makes eleven
 * strings a log of which most repeat. Invariant: what it returns is what JSON.parse and `LogBatch.of` give, with one instance for
 * each repeated text; whatever it does not expect (an error, an escape, a nested value, a text that is no hex, a missing
 * field) makes it answer null, and JSON.parse decides. Hashes, addresses and topics are in lower case.
 */
export interface LogsAnswer {
  id: number;
  result: LogBatch;
}

const IS_PLAIN = new Uint8Array(256);
for (const sign of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_')
  IS_PLAIN[sign.charCodeAt(0)] = 1;

const FOUR_ZEROS = 0x30303030;

const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

const addresses = new TextInterner(42, 'hex text');
const topics = new TextInterner(66, 'hex text');

export function scanLogsAnswer(body: Buffer): LogsAnswer | null {
  try {
    return new LogScanner(body).answer();
  } catch (error) {
    if (error === UNEXPECTED) return null;
    throw error;
  }
}

class LogScanner extends JsonCursor {
  /** Bounds of the text that was read last, without its quotes. */
  private start = 0;
  private end = 0;
  private readonly view: DataView;
  /** Where the fields of the log before were named, in their order: the next log most probably names the same. */
  private readonly keyStarts: number[] = [];
  private readonly keyEnds: number[] = [];
  private readonly keyFields: number[] = [];
  /** Where the texts below were read. */
  private readonly repeatedAt = [0, 0];
  private blockHash = '';
  private blockNumber = 0;
  private transactionHash = '';
  private transactionIndex = 0;

  constructor(bytes: Buffer) {
    super(bytes);
    this.view = viewOf(bytes);
  }

  answer(): LogsAnswer {
    let id: number | null = null;
    let result: LogBatch | null = null;
    this.expect(OPEN);
    do {
      const key = this.key();
      if (key === 'result' && result === null) result = this.logs();
      else if (key === 'id' && id === null) id = Number(this.plain());
      else if (key === 'jsonrpc') this.textValue();
      else throw UNEXPECTED;
    } while (this.more(CLOSE));
    this.space();
    if (this.at !== this.bytes.length || id === null || !Number.isSafeInteger(id) || result === null) throw UNEXPECTED;
    return { id, result };
  }

  private logs(): LogBatch {
    const batch = new LogBatch(this.bytes);
    this.expect(LIST);
    if (this.closes(END)) return batch;
    do this.log(batch);
    while (this.more(END));
    return batch;
  }

  private log(batch: LogBatch): void {
    let address = '';
    let dataStart = 0;
    let dataDigits = 0;
    let logIndex = 0;
    let removed = false;
    let seen = 0;
    let position = 0;
    this.expect(OPEN);
    do {
      const field = this.field(position++);
      const bit = 1 << field;
      if (field !== OTHER && (seen & bit) !== 0) throw UNEXPECTED;
      seen |= bit;
      switch (field) {
        case ADDRESS:
          address = this.fixed(addresses);
          break;
        case TOPICS:
          this.topics(batch);
          break;
        case DATA:
          this.hex();
          dataStart = this.start + 2;
          dataDigits = this.end - dataStart;
          break;
        case BLOCK_HASH:
          this.blockHash = this.repeated(0, this.blockHash);
          break;
        case BLOCK_NUMBER:
          this.blockNumber = this.quantity();
          break;
        case TRANSACTION_HASH:
          this.transactionHash = this.repeated(1, this.transactionHash);
          break;
        case TRANSACTION_INDEX:
          this.transactionIndex = this.quantity();
          break;
        case LOG_INDEX:
          logIndex = this.quantity();
          break;
        case REMOVED:
          removed = this.flag();
          break;
        default:
          this.skip();
      }
    } while (this.more(CLOSE));
    if ((seen & REQUIRED) !== REQUIRED) throw UNEXPECTED;
    const { blockNumber, blockHash, transactionHash, transactionIndex } = this;
    const log = { address, blockNumber, blockHash, transactionHash, transactionIndex, logIndex, removed };
    batch.add(log, dataStart, dataDigits);
  }

  private topics(batch: LogBatch): void {
    this.expect(LIST);
    if (this.closes(END)) return;
    do batch.addTopic(this.fixed(topics));
    while (this.more(END));
  }

  /** A text of known length that probably came before. */
  private fixed(table: TextInterner): string {
    const { bytes } = this;
    this.expect(QUOTE);
    const known = bytes[this.at + table.length] === QUOTE ? table.find(this.view, this.at) : undefined;
    if (known !== undefined) {
      this.at += table.length + 1;
      return known;
    }
    this.at--;
    this.hex();
    if (this.end - this.start !== table.length) throw UNEXPECTED;
    return table.add(bytes, this.view, this.start);
  }

  /** The same instance when the text equals the previous log's. */
  private repeated(which: number, previous: string): string {
    this.expect(QUOTE);
    const { at, view, repeatedAt } = this;
    const { length } = previous;
    if (length > 0 && this.bytes[at + length] === QUOTE && sameBytes(view, at, view, repeatedAt[which]!, length)) {
      this.at = at + length + 1;
      return previous;
    }
    this.at--;
    this.hex();
    if (this.end - this.start !== 66) throw UNEXPECTED;
    repeatedAt[which] = this.start;
    return this.bytes.toString('latin1', this.start, this.end).toLowerCase();
  }

  /** A quoted text of 0x and hex digits. */
  private hex(): void {
    this.expect(QUOTE);
    const { bytes, view } = this;
    const start = this.at;
    if (bytes[start] !== 0x30 || bytes[start + 1] !== 0x78) throw UNEXPECTED;
    let at = start + 2;
    const last = bytes.length - 4;
    // Most digits of data are the zeros before a number: four at a time.
    for (;;) {
      while (at <= last && view.getInt32(at, true) === FOUR_ZEROS) at += 4;
      const before = at;
      while (DIGIT[bytes[at]!]! >= 0 && at - before < 16) at++;
      if (at - before < 16) break;
    }
    if (bytes[at] !== QUOTE) throw UNEXPECTED;
    this.start = start;
    this.end = at;
    this.at = at + 1;
  }

  private quantity(): number {
    this.hex();
    const digits = this.end - this.start - 2;
    if (digits < 1 || digits > 13) throw UNEXPECTED;
    let value = 0;
    for (let k = this.start + 2; k < this.end; k++) value = value * 16 + DIGIT[this.bytes[k]!]!;
    return value;
  }

  private flag(): boolean {
    this.space();
    const { bytes, at } = this;
    const first = bytes[at];
    if (first === 0x66) this.literal('false');
    else this.literal('true');
    return first !== 0x66;
  }

  private literal(word: string): void {
    for (let k = 0; k < word.length; k++) if (this.bytes[this.at + k] !== word.charCodeAt(k)) throw UNEXPECTED;
    this.at += word.length;
  }

  /** A field that is not read: a plain text, a number, true, false or null. */
  private skip(): void {
    this.space();
    if (this.bytes[this.at] === QUOTE) this.textValue();
    else this.plain();
  }

  private plain(): string {
    this.space();
    const start = this.at;
    while (IS_PLAIN[this.bytes[this.at]!] === 1) this.at++;
    if (!SCALAR.test(this.bytes.toString('latin1', start, this.at))) throw UNEXPECTED;
    return this.bytes.toString('latin1', start, this.at);
  }

  private textValue(): void {
    this.expect(QUOTE);
    this.start = this.at;
    while (IS_PLAIN[this.bytes[this.at]!] === 1) this.at++;
    this.end = this.at;
    this.expect(QUOTE);
  }

  private key(): string {
    this.textValue();
    const key = this.bytes.toString('latin1', this.start, this.end);
    this.expect(COLON);
    return key;
  }

  /** Which field the next key names: most probably the one that the log before had in this position. */
  private field(position: number): number {
    const { keyStarts, keyEnds, keyFields, view } = this;
    if (position < keyFields.length) {
      const start = keyStarts[position]!;
      const length = keyEnds[position]! - start;
      if (this.at + length <= this.bytes.length && sameBytes(view, this.at, view, start, length)) {
        this.at += length;
        return keyFields[position]!;
      }
    }
    const start = this.at;
    const field = Math.max(FIELD_NAMES.indexOf(this.key()), OTHER);
    keyStarts[position] = start;
    keyEnds[position] = this.at;
    keyFields[position] = field;
    return field;
  }
}

const OTHER = 0;
const ADDRESS = 1;
const TOPICS = 2;
const DATA = 3;
const BLOCK_HASH = 4;
const BLOCK_NUMBER = 5;
const TRANSACTION_HASH = 6;
const TRANSACTION_INDEX = 7;
const LOG_INDEX = 8;
const REMOVED = 9;
const FIELD_NAMES = [
  '',
  'address',
  'topics',
  'data',
  'blockHash',
  'blockNumber',
  'transactionHash',
  'transactionIndex',
  'logIndex',
  'removed',
];
/** Everything but `removed` and fields that are not read. */
const REQUIRED = 0b1_1111_1110;
