import type { Hex } from '#libs/core/ids.js';
import type { RpcError } from '../rpc/rpc-error.js';
import type { RpcCall, RpcEndpoint } from './rpc/endpoint.js';
import { encodeAddress, encodeUint } from './words.js';

export interface ContractCall {
  to: Hex;
  /** Selector and arguments, hex without prefix. */
  data: string;
}

/** EIP-1898 by hash, or a tag. */
export type BlockParameter = { blockHash: string } | string;

const AGGREGATE3 = '82ad56cb';
const ODD_LIMIT = 4;

/**
 * Many view calls at one block. Answers are return data as hex without prefix, or null where the contract reverted.
 * Calls are bundled by multicall3; what fails inside a bundle is asked again alone, because one contract that burns all
 * gas makes its neighbours fail, and a failure is recorded for ever.
 */
export class ContractReader {
  /** Calls that a node answered with an error of its own, while it answered others. */
  private readonly odd = new Map<string, number>();

  constructor(private readonly multicall3: Hex | null) {}

  async read(
    endpoint: RpcEndpoint,
    calls: readonly ContractCall[],
    block: BlockParameter,
    signal?: AbortSignal,
  ): Promise<(string | null)[]> {
    const answers: (string | null)[] = new Array(calls.length).fill(null);
    let alone = calls.map((_, index) => index);
    if (this.multicall3 !== null && calls.length > 2) {
      const bundled = await this.readBundled(endpoint, this.multicall3, calls, block, signal);
      alone = alone.filter((index) => bundled[index] === null);
      bundled.forEach((answer, index) => {
        answers[index] = answer;
      });
    }
    const single = await endpoint.batch(
      alone.map((index) => ethCall(calls[index]!.to, calls[index]!.data, block)),
      signal,
    );
    const alive = single.some((answer) => !answer.error || answer.error.kind === 'reverted');
    single.forEach((answer, n) => {
      const call = calls[alone[n]!]!;
      if (answer.error) this.judge(answer.error, call, alive);
      answers[alone[n]!] = answer.error ? null : returnData(endpoint, answer.result);
    });
    return answers;
  }

  /**
   * A revert is the contract's own answer. An error of the node is thrown, so that the question goes to the next one; only
   * when one and the same call keeps failing on nodes that answer everything else, it is the contract after all.
   */
  private judge(error: RpcError, { to, data }: ContractCall, alive: boolean): void {
    if (error.kind === 'reverted') return;
    if ((error.kind !== 'server' && error.kind !== 'bad-params') || !alive) throw error;
    const key = `${to}:${data}`;
    const times = (this.odd.get(key) ?? 0) + 1;
    if (times < ODD_LIMIT) {
      this.odd.set(key, times);
      throw error;
    }
    this.odd.delete(key);
  }

  /** Null for every call that failed or could not be bundled. */
  private async readBundled(
    endpoint: RpcEndpoint,
    multicall3: Hex,
    calls: readonly ContractCall[],
    block: BlockParameter,
    signal?: AbortSignal,
  ): Promise<(string | null)[]> {
    const size = endpoint.sizeOf('bundled calls');
    const most = size.size;
    const bundles: RpcCall[] = [];
    for (let start = 0; start < calls.length; start += most) {
      bundles.push(ethCall(multicall3, encodeAggregate3(calls.slice(start, start + most)), block));
    }
    const answers = await endpoint.batch(bundles, signal);
    return answers.flatMap((answer, n) => {
      const count = Math.min(most, calls.length - n * most);
      const failed: null[] = new Array(count).fill(null);
      if (answer.error) {
        // The bundle as a whole failed: too much gas, no multicall3 there, too large for the node. The calls are asked alone.
        if (answer.error.kind === 'reverted') return failed;
        if (!answer.error.maybeSize || count === 1) throw answer.error;
        size.tooMuch(count);
        return failed;
      }
      size.fine(count);
      return decodeAggregate3(returnData(endpoint, answer.result), count) ?? failed;
    });
  }
}

function ethCall(to: Hex, data: string, block: BlockParameter): RpcCall {
  return { method: 'eth_call', params: [{ to: `0x${to}`, data: `0x${data}` }, block] };
}

function returnData(endpoint: RpcEndpoint, result: unknown): string {
  if (typeof result !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(result)) {
    throw endpoint.error('invalid', 'a call result that is no byte string');
  }
  return result.slice(2).toLowerCase();
}

/** aggregate3((address target, bool allowFailure, bytes callData)[]) with allowFailure everywhere. */
export function encodeAggregate3(calls: readonly ContractCall[]): string {
  const offsets: string[] = [];
  const tuples: string[] = [];
  let offset = calls.length * 32;
  for (const { to, data } of calls) {
    const padded = data.padEnd(Math.ceil(data.length / 64) * 64, '0');
    const tuple = encodeAddress(to) + encodeUint(1) + encodeUint(96) + encodeUint(data.length / 2) + padded;
    offsets.push(encodeUint(offset));
    tuples.push(tuple);
    offset += tuple.length / 2;
  }
  return AGGREGATE3 + encodeUint(32) + encodeUint(calls.length) + offsets.join('') + tuples.join('');
}

/** Return data of each successful call, null of a failed one; null as a whole when this is no aggregate3 answer. */
export function decodeAggregate3(data: string, count: number): (string | null)[] | null {
  const number = (byte: number): number => {
    const word = data.slice(byte * 2, byte * 2 + 64);
    if (word.length !== 64 || !/^0{52}/.test(word)) return Number.NaN;
    return Number.parseInt(word.slice(52), 16);
  };
  const list = number(0);
  if (number(list) !== count) return null;
  const answers: (string | null)[] = [];
  for (let i = 0; i < count; i++) {
    const tuple = list + 32 + number(list + 32 + i * 32);
    const success = number(tuple);
    const bytes = tuple + number(tuple + 32);
    const length = number(bytes);
    const content = data.slice((bytes + 32) * 2, (bytes + 32 + length) * 2);
    if (!(success === 0 || success === 1) || !(content.length === length * 2)) return null;
    answers.push(success === 1 ? content : null);
  }
  return answers;
}
