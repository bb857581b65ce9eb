import { logsBloom } from '#libs/chain/chains/evm/proof/bloom.js';
import { receiptsRoot } from '#libs/chain/chains/evm/proof/receipts-root.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { RpcReceipt } from '#libs/chain/chains/evm/rpc-shapes.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import type { Header } from './raw-block.js';

/**
 * Whether a block's receipts are those that its header commits to. Invariant: where every receipt's type is known, the
 * receipts root proves them whole. With a type whose encoding is unknown, the bloom proves addresses and topics alone, so
 * the other nodes are asked for the same receipts: more than half of the nodes that answer must give them, and the
 * observer hears of the block, also where no other node answered.
 */
export class ReceiptProof {
  constructor(
    private readonly rpc: RpcPool,
    private readonly observer: SourceObserver,
    /** Whether the bloom of a header is that of the block's logs. */
    private readonly blooms: boolean,
  ) {}

  /** How the receipts are proven. Throws `inconsistent-response` when they are not what the header, or most nodes, say. */
  async check(
    endpoint: RpcEndpoint,
    header: Header,
    receipts: readonly RpcReceipt[],
    signal: AbortSignal,
  ): Promise<BlockProof> {
    if (this.blooms && logsBloom(receipts.flatMap((receipt) => receipt.logs)) !== header.logsBloom.toLowerCase()) {
      throw endpoint.error('inconsistent-response', `logs of block ${header.height} do not match its bloom`);
    }
    const root = receiptsRoot(receipts);
    if (typeof root !== 'string') return this.askOthers(endpoint, header, receipts, root.unknownType, signal);
    if (root !== header.receiptsRoot.toLowerCase()) {
      throw endpoint.error(
        'inconsistent-response',
        `receipts of block ${header.height} do not match its receipts root`,
      );
    }
    return 'full';
  }

  private async askOthers(
    endpoint: RpcEndpoint,
    header: Header,
    receipts: readonly RpcReceipt[],
    unknownType: string,
    signal: AbortSignal,
  ): Promise<BlockProof> {
    const others = this.rpc.endpoints.filter((other) => other !== endpoint && this.isAsked(other));
    const answers = await Promise.all(others.map((other) => this.receiptsOf(other, header, signal)));
    const given = answers.filter((answer) => answer !== null);
    const own = comparable(receipts);
    const equal = given.filter((answer) => comparable(answer) === own).length;
    if (2 * (equal + 1) <= given.length + 1) {
      throw endpoint.error(
        'inconsistent-response',
        `receipts of block ${header.height} differ from those of other nodes; type ${unknownType} has no known root`,
      );
    }
    this.observer.unproven?.(unknownType, equal);
    return equal > 0 || this.blooms ? 'sampled' : 'none';
  }

  /**
   * A node that keeps failing would only delay the block while it rests. One failure is not enough to lose its say, or of
   * two nodes the other would be taken at its word; one that was caught lying has its say in any case.
   */
  private isAsked(other: RpcEndpoint): boolean {
    if (other.disabled !== null) return false;
    if (other.coolUntil <= performance.now() || other.failures < FAILURES_IN_A_ROW) return true;
    return this.rpc.problemOf(other)?.kind === 'inconsistent-response';
  }

  /** Null where the node gives none: it lacks the block or the method, or it keeps failing. */
  private async receiptsOf(other: RpcEndpoint, header: Header, signal: AbortSignal): Promise<RpcReceipt[] | null> {
    for (;;) {
      try {
        const answer = await other.call<unknown>('eth_getBlockReceipts', [`0x${header.hash}`], signal);
        return Array.isArray(answer) ? (answer as RpcReceipt[]) : null;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (!error.blamesNode) return null;
        this.rpc.blame(other, error);
        if (other.failures >= FAILURES_IN_A_ROW) return null;
      }
    }
  }
}

const FAILURES_IN_A_ROW = 3;

/** Every field that is read of a receipt, in one spelling. */
function comparable(receipts: readonly RpcReceipt[]): string {
  const fields = receipts.map(({ transactionHash, from, type, status, root, cumulativeGasUsed, logs }) => [
    ...[transactionHash, from, type, status, root, cumulativeGasUsed],
    logs?.map(({ address, topics, data, logIndex }) => [address, topics, data, logIndex]),
  ]);
  return JSON.stringify(fields).toLowerCase();
}
