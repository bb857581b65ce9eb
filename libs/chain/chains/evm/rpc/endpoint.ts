import { JsonRpcEndpoint, type SizeName } from '../../rpc/endpoint.js';
import { RpcError } from '../../rpc/rpc-error.js';
import { LogBatch } from '../log-batch.js';
import type { RpcLog } from '../rpc-shapes.js';
import { type LogsAnswer, scanLogsAnswer } from './log-scanner.js';

export type { RpcAnswer, RpcCall } from '../../rpc/endpoint.js';

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

  /**
   * Asks for some blocks in parts as large as this node takes. After a refusal that does not speak of a size one block alone
   * is asked for: it tells whether the node refuses the size or everything.
   */
  async inParts<T>(
    name: SizeName,
    from: number,
    to: number,
    ask: (first: number, last: number) => Promise<T>,
  ): Promise<T[]> {
    const size = this.sizeOf(name);
    const parts: T[] = [];
    for (let at = from; at <= to; ) {
      const last = Math.min(to, at + size.size - 1);
      const length = last - at + 1;
      try {
        parts.push(await ask(at, last));
        size.fine(length);
        at = last + 1;
      } catch (error) {
        if (!(error instanceof RpcError) || length === 1 || !mayBeOfSize(error)) throw error;
        if (error.kind !== 'too-large') {
          parts.push(await ask(at, at));
          at++;
        }
        size.tooMuch(length);
      }
    }
    return parts;
  }

  /** Raw logs of an answer, checked for shape. */
  readLogs(answer: unknown): LogBatch {
    if (!Array.isArray(answer)) throw this.error('invalid', 'logs that are no list');
    const batch = LogBatch.of(answer as RpcLog[]);
    if (batch === null) throw this.error('invalid', 'a malformed log');
    return batch;
  }
}

/** A limit of the rate may count what an answer holds. */
const mayBeOfSize = (error: RpcError): boolean => error.maybeSize || error.kind === 'rate-limited';

export const quantity = (value: number): string => `0x${value.toString(16)}`;
