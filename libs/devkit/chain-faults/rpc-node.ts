import { Revert } from '#libs/devkit/chain-builder/abi-words.js';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { LogKey, ServedBlock, ServedChain } from '#libs/devkit/chain-builder/served-chain.js';
import type { FaultSettings } from './fault-settings.js';
import { compileLogFilter } from './log-filter.js';
import type { ResponseTampering } from './response-tampering.js';

/** A JSON-RPC error that a node answers with. */
export class FaultyNodeError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'RpcError';
  }
}

/**
 * The methods of an EVM node over a served chain. Answers are JSON texts, a long one in pieces to be written one after the other. Nothing above `head` exists for a request;
 * the head is passed in, so that one request can be answered by a node that lags.
 */
export class RpcNode {
  constructor(
    private readonly chain: ServedChain,
    private readonly faults: FaultSettings,
    private readonly tampering: ResponseTampering,
    private readonly hidesBlock: () => boolean,
  ) {}

  answer(method: string, params: readonly unknown[], head: number): string | string[] {
    if (this.faults.missingMethods.includes(method)) throw unknownMethod(method);
    switch (method) {
      case 'eth_chainId':
        return text(quantityText(this.chain.chainId));
      case 'net_version':
        return text(String(this.chain.chainId));
      case 'web3_clientVersion':
        return text('tidepool-devnet/1');
      case 'eth_syncing':
        return 'false';
      case 'eth_gasPrice':
        return text('0x1');
      case 'eth_blockNumber':
        return text(quantityText(head));
      case 'eth_getBlockByNumber':
        return this.block(this.atTag(params[0], head), params[1] === true);
      case 'eth_getBlockByHash':
        return this.block(this.atHash(params[0], head), params[1] === true);
      case 'eth_getLogs':
        return this.logs(params[0], head);
      case 'eth_getBlockReceipts':
        return this.blockReceipts(this.atReference(params[0], head));
      case 'eth_getTransactionReceipt':
        return this.transaction(params[0], head, (block, index) => this.tampering.receipt(block, index));
      case 'eth_getTransactionByHash':
        return this.transaction(params[0], head, (block, index) => block.transactionJson(index));
      case 'eth_call':
        return this.call(params[0], this.stateBlock(params[1], head));
      case 'eth_getCode': {
        const block = this.stateBlock(params[1], head);
        return text(block.hasCode(String(params[0]).toLowerCase()) ? '0x00' : '0x');
      }
      case 'eth_getBalance':
      case 'eth_getTransactionCount':
        return text('0x0');
      default:
        throw unknownMethod(method);
    }
  }

  headerJson(block: ServedBlock): string {
    return this.tampering.header(block, block.headerJson());
  }

  private atTag(tag: unknown, head: number): ServedBlock | null {
    const height = this.height(tag, head);
    return height > head || this.isDropped(height) ? null : this.chain.blockAt(height);
  }

  private isDropped(height: number): boolean {
    return height > 0 && height < (this.faults.oldestBlock ?? 0);
  }

  private height(tag: unknown, head: number): number {
    switch (tag) {
      case undefined:
      case null:
      case 'latest':
      case 'pending':
        return head;
      case 'safe':
        return Math.max(0, head - this.faults.safeDepth);
      case 'finalized':
        return Math.max(0, head - this.faults.finalityDepth);
      case 'earliest':
        return 0;
      default:
        if (typeof tag !== 'string' || !/^0x[0-9a-fA-F]{1,13}$/.test(tag)) throw invalid(`invalid block number ${tag}`);
        return Number.parseInt(tag, 16);
    }
  }

  private atHash(hash: unknown, head: number): ServedBlock | null {
    if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash)) throw invalid(`invalid block hash ${hash}`);
    const block = this.chain.blockByHash(hash.toLowerCase());
    return block && block.number <= head && !this.isDropped(block.number) ? block : null;
  }

  /** A tag, a number, a hash or an EIP-1898 object. */
  private atReference(reference: unknown, head: number): ServedBlock | null {
    if (typeof reference === 'object' && reference !== null) {
      const { blockHash, blockNumber } = reference as { blockHash?: unknown; blockNumber?: unknown };
      return blockHash === undefined ? this.atTag(blockNumber, head) : this.atHash(blockHash, head);
    }
    if (typeof reference === 'string' && reference.length === 66) return this.atHash(reference, head);
    return this.atTag(reference, head);
  }

  private stateBlock(reference: unknown, head: number): ServedBlock {
    const block = this.atReference(reference, head);
    if (!block) throw new FaultyNodeError(-32000, 'header not found');
    if (this.faults.stateDepth !== null && block.number < head - this.faults.stateDepth) {
      throw new FaultyNodeError(-32000, `missing trie node ${block.hash.slice(2)} (path ) state is not available`);
    }
    return block;
  }

  private block(block: ServedBlock | null, full: boolean): string {
    if (!block || this.hidesBlock()) return 'null';
    return this.tampering.header(block, block.blockJson(full));
  }

  private blockReceipts(block: ServedBlock | null): string {
    if (!block || this.hidesBlock()) return 'null';
    const receipts: string[] = [];
    for (let i = 0; i < block.transactionCount; i++) receipts.push(this.tampering.receipt(block, i));
    return `[${receipts.join(',')}]`;
  }

  private transaction(hash: unknown, head: number, read: (block: ServedBlock, index: number) => string): string {
    if (typeof hash !== 'string') throw invalid('missing transaction hash');
    const found = this.chain.findTransaction(hash.toLowerCase());
    return found && found.block.number <= head ? read(found.block, found.index) : 'null';
  }

  private call(request: unknown, block: ServedBlock): string {
    const { to, data, input } = (request ?? {}) as { to?: string; data?: string; input?: string };
    if (typeof to !== 'string') throw invalid('contract creation is not supported by eth_call here');
    try {
      return text(block.call(to, input ?? data ?? '0x'));
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      throw new FaultyNodeError(3, `execution reverted${error.message ? `: ${error.message}` : ''}`, error.data);
    }
  }

  private logs(raw: unknown, head: number): string[] {
    if (typeof raw !== 'object' || raw === null) throw invalid('missing filter');
    const query = raw as { fromBlock?: unknown; toBlock?: unknown; blockHash?: unknown };
    const filter = compileLogFilter(raw as { address?: unknown; topics?: unknown });
    if (query.blockHash !== undefined) {
      if (query.fromBlock !== undefined || query.toBlock !== undefined) {
        throw invalid('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
      }
      const block = this.atHash(query.blockHash, head);
      if (!block) throw new FaultyNodeError(-32000, 'unknown block');
      const out: string[] = [];
      this.addMatching(block, filter.matches, out);
      return closed(out);
    }
    const from = this.height(query.fromBlock, head);
    const to = Math.min(this.height(query.toBlock, head), head);
    if (this.faults.maxLogRange !== null && to - from + 1 > this.faults.maxLogRange) {
      throw this.rangeRefused(from, from + this.faults.maxLogRange - 1);
    }
    const out: string[] = [];
    let found = 0;
    for (let height = from; height <= to; height++) {
      const block = this.chain.blockAt(height);
      if (!block) break;
      found += this.addMatching(block, filter.matches, out);
      if (this.faults.maxLogResults !== null && found > this.faults.maxLogResults) {
        throw this.tooManyResults(from, Math.max(from, height - 1));
      }
    }
    return closed(out);
  }

  /** Adds the logs of a block that match, each after a comma or the opening bracket; returns how many. */
  private addMatching(block: ServedBlock, matches: (log: LogKey) => boolean, out: string[]): number {
    const indices: number[] = [];
    const keys = block.logKeys;
    for (let i = 0; i < keys.length; i++) if (matches(keys[i] as LogKey)) indices.push(i);
    if (this.tampering.changesLogs) {
      const texts = this.tampering.logs(block, indices);
      for (const text of texts) out.push(out.length === 0 ? '[' : ',', text);
      return texts.length;
    }
    for (const index of indices) {
      out.push(out.length === 0 ? '[' : ',');
      block.addLog(index, out);
    }
    return indices.length;
  }

  private rangeRefused(from: number, to: number): FaultyNodeError {
    const limit = this.faults.maxLogRange;
    switch (this.faults.limitErrors) {
      case 'quicknode':
        return new FaultyNodeError(-32614, `eth_getLogs is limited to a ${limit} range`);
      case 'alchemy':
        return new FaultyNodeError(-32600, alchemyText(from, to));
      case 'plain':
        return new FaultyNodeError(-32000, `exceed maximum block range: ${limit}`);
      case 'infura':
        return new FaultyNodeError(-32005, `query exceeds max block range ${limit}`);
    }
  }

  private tooManyResults(from: number, to: number): FaultyNodeError {
    const limit = this.faults.maxLogResults;
    switch (this.faults.limitErrors) {
      case 'quicknode':
      case 'plain':
        return new FaultyNodeError(-32000, `query returned more than ${limit} results`);
      case 'alchemy':
        return new FaultyNodeError(-32602, alchemyText(from, to));
      case 'infura':
        return new FaultyNodeError(
          -32005,
          `query returned more than ${limit} results. Try with this block range [${quantityText(from)}, ${quantityText(to)}].`,
          { from: quantityText(from), to: quantityText(to), limit },
        );
    }
  }
}

function closed(list: string[]): string[] {
  list.push(list.length === 0 ? '[]' : ']');
  return list;
}

function alchemyText(from: number, to: number): string {
  const range = `[${quantityText(from)}, ${quantityText(to)}]`;
  return (
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the ' +
    'response size, or you can request any block range with a cap of 10K logs in the response. Based on your ' +
    `parameters and the response size limit, this block range should work: ${range}`
  );
}

function text(value: string): string {
  return `"${value}"`;
}

function invalid(message: string): FaultyNodeError {
  return new FaultyNodeError(-32602, message);
}

function unknownMethod(method: string): FaultyNodeError {
  return new FaultyNodeError(-32601, `the method ${method} does not exist/is not available`);
}
