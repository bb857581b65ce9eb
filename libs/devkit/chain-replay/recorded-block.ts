import {
  quantityText,
  type RpcHeader,
  type RpcReceipt,
  type RpcTransaction,
} from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { LogKey, ServedBlock } from '#libs/devkit/chain-builder/served-chain.js';
import type { RawBlock } from './loop-reset.js';

/** JSON texts of one recorded block, cut where a loop puts its own values in. */
export interface Template {
  header: Omit<RpcHeader, 'hash'>;
  rest: Record<string, unknown>;
  keys: LogKey[];
  /** Text of each log up to its block hash, and after its transaction index. */
  logHeads: string[];
  logTails: string[];
  /** Data of each log, for state. */
  logData: string[];
  /** Transaction position of each log. */
  logTransactions: number[];
  transactions: RpcTransaction[];
  receipts: Omit<RpcReceipt, 'logs'>[];
  /** First log of each receipt, with the total at the end. */
  receiptStarts: number[];
  timestamp: number;
}

/** What a block needs to know of the chain around it. */
export interface RecordedPlace {
  hashAt(height: number): string;
  timestampAt(height: number): number;
  headerAt(height: number): Omit<RpcHeader, 'hash'>;
  templateAt(height: number): Template;
  transactionHash(height: number, index: number): string;
  call(height: number, to: string, input: string): string;
  hasCode(height: number, address: string): boolean;
}

export class RecordedBlock implements ServedBlock {
  private readonly template: Template;
  /** The middle of every log of a transaction: its block, transaction and position. */
  private readonly middles: (string | undefined)[] = [];

  constructor(
    private readonly chain: RecordedPlace,
    readonly number: number,
  ) {
    this.template = chain.templateAt(number);
  }

  get hash(): string {
    return this.chain.hashAt(this.number);
  }

  get parentHash(): string {
    return this.chain.headerAt(this.number).parentHash;
  }

  get logKeys(): readonly LogKey[] {
    return this.template.keys;
  }

  get transactionCount(): number {
    return this.template.transactions.length;
  }

  headerJson(): string {
    return JSON.stringify({ hash: this.hash, ...this.chain.headerAt(this.number) });
  }

  blockJson(full: boolean): string {
    const { rest, transactions } = this.template;
    const head = JSON.stringify({ hash: this.hash, ...this.chain.headerAt(this.number), ...rest }).slice(0, -1);
    const listed = transactions.map((_, index) =>
      full ? this.transactionJson(index) : `"${this.chain.transactionHash(this.number, index)}"`,
    );
    return `${head},"transactions":[${listed.join(',')}]}`;
  }

  logJson(index: number): string {
    const pieces: string[] = [];
    this.addLog(index, pieces);
    return pieces.join('');
  }

  addLog(index: number, out: string[]): void {
    const { logHeads, logTails, logTransactions } = this.template;
    const transaction = logTransactions[index] as number;
    this.middles[transaction] ??= this.middle(transaction);
    out.push(logHeads[index] as string, this.middles[transaction], logTails[index] as string);
  }

  transactionJson(index: number): string {
    return JSON.stringify({
      ...this.template.transactions[index],
      hash: this.chain.transactionHash(this.number, index),
      blockHash: this.hash,
      blockNumber: quantityText(this.number),
      blockTimestamp: quantityText(this.chain.timestampAt(this.number)),
    });
  }

  receiptJson(index: number): string {
    const head = JSON.stringify({
      ...this.template.receipts[index],
      transactionHash: this.chain.transactionHash(this.number, index),
      blockHash: this.hash,
      blockNumber: quantityText(this.number),
      blockTimestamp: quantityText(this.chain.timestampAt(this.number)),
    }).slice(0, -1);
    const [first, end] = this.receiptLogs(index);
    const logs: string[] = [];
    for (let i = first; i < end; i++) logs.push(this.logJson(i));
    return `${head},"logs":[${logs.join(',')}]}`;
  }

  receiptLogs(index: number): [number, number] {
    const { receiptStarts } = this.template;
    return [receiptStarts[index] ?? 0, receiptStarts[index + 1] ?? 0];
  }

  call(to: string, input: string): string {
    return this.chain.call(this.number, to, input);
  }

  hasCode(address: string): boolean {
    return this.chain.hasCode(this.number, address);
  }

  private middle(transaction: number): string {
    const time = quantityText(this.chain.timestampAt(this.number));
    const hash = this.chain.transactionHash(this.number, transaction);
    return (
      `"blockHash":"${this.hash}","blockNumber":"${quantityText(this.number)}","blockTimestamp":"${time}",` +
      `"transactionHash":"${hash}","transactionIndex":"${quantityText(transaction)}"`
    );
  }
}

export function templateOf(block: RawBlock['block'], receipts: RpcReceipt[]): Template {
  const { hash: _hash, transactions, size, uncles, withdrawals, totalDifficulty, ...header } = block;
  const template: Template = {
    header,
    rest: { totalDifficulty, size, uncles, withdrawals },
    keys: [],
    logHeads: [],
    logTails: [],
    logData: [],
    logTransactions: [],
    transactions,
    receipts: [],
    receiptStarts: [],
    timestamp: Number(block.timestamp),
  };
  receipts.forEach(({ logs, ...receipt }, transaction) => {
    template.receiptStarts.push(template.keys.length);
    template.receipts.push(receipt);
    for (const { address, topics, data, logIndex } of logs) {
      template.keys.push({ address, topics });
      template.logData.push(data);
      template.logTransactions.push(transaction);
      template.logHeads.push(`${JSON.stringify({ address, topics, data }).slice(0, -1)},`);
      template.logTails.push(`,"logIndex":"${logIndex}","removed":false}`);
    }
  });
  template.receiptStarts.push(template.keys.length);
  return template;
}
