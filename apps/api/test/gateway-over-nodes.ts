import type { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { GatewayHarness, type RpcReply } from './gateway-harness.js';

/** A gateway over two nodes of one chain; each comparison of their heads is a new one, and waits for both. */
export class GatewayOverNodes {
  private constructor(
    private readonly chain: ChainBuilder,
    readonly gateway: GatewayHarness,
    /** The preferred one, and the one after it. */
    readonly nodes: readonly [FaultRpc, FaultRpc],
  ) {}

  /** `suffix` is added to the URLs by which the gateway knows the nodes. */
  static async start(chain: ChainBuilder, suffix = ''): Promise<GatewayOverNodes> {
    const nodes = [await startFaultRpc({ chain }), await startFaultRpc({ chain })] as const;
    const pace = { headsFreshMs: 0, headsWaitMs: 60_000 };
    const gateway = await GatewayHarness.start({ eth: nodes.map(({ url }) => url + suffix) }, pace);
    return new GatewayOverNodes(chain, gateway, nodes);
  }

  /** How often the gateway asked a node for a method. */
  asked(node: 0 | 1, method: string): number {
    return this.nodes[node].stats.methods[method] ?? 0;
  }

  call(method: string, params: unknown[] = []): Promise<RpcReply['body']> {
    return this.gateway.call('/eth', method, params);
  }

  hashOf(height: number): string {
    return this.chain.canonicalBlocks()[height]!.hash;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all(this.nodes.map((node) => node.close()));
  }
}
