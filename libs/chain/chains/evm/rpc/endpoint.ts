import { JsonRpcEndpoint } from '../../rpc/endpoint.js';
import { LogBatch } from '../log-batch.js';
import { quantity } from '../quantity.js';
import type { RpcLog } from '../rpc-shapes.js';
import { type LogsAnswer, scanLogsAnswer } from './log-scanner.js';

export type { RpcAnswer, RpcCall } from '../../rpc/call-list.js';

/** One EVM node behind one URL. */
export class RpcEndpoint extends JsonRpcEndpoint {
  protected readonly charset = 'latin1';
  protected readonly family = 'evm';
  /** Whether a header of the chain hashes to its hash as Ethereum's do, as far as its fields are known. */
  hashesHeaders = true;

  /** eth_getLogs with one filter: the bulk of all that is ever read. */
  async logs(filter: object, signal?: AbortSignal): Promise<LogBatch> {
    let scanned: LogsAnswer | null = null;
    const parse = (body: Buffer): unknown => {
      scanned = scanLogsAnswer(body);
      return scanned ?? this.parse(body);
    };
    const [answer] = await this.batch([{ method: 'eth_getLogs', params: [filter] }], signal, parse);
    if (answer!.error) throw answer!.error;
    const { result } = answer!;
    return result === (scanned as LogsAnswer | null)?.result ? (result as LogBatch) : this.readLogs(result);
  }

  /** The logs of some blocks, in ranges as wide as this node takes. The filter names addresses or topics, or nothing. */
  logsOf(from: number, to: number, filter: object, signal?: AbortSignal): Promise<LogBatch[]> {
    const ask = (first: number, last: number): Promise<LogBatch> =>
      this.logs({ fromBlock: quantity(first), toBlock: quantity(last), ...filter }, signal);
    return this.inParts('log blocks', from, to, ask);
  }

  /** Raw logs of an answer, checked for shape. */
  readLogs(answer: unknown): LogBatch {
    if (!Array.isArray(answer)) throw this.error('invalid', 'logs that are no list');
    const batch = LogBatch.of(answer as RpcLog[]);
    if (batch === null) throw this.error('invalid', 'a malformed log');
    return batch;
  }
}
