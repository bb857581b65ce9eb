import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import { jsonText } from '#libs/core/exact-json.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { isImmutable } from './immutable.js';
import type { KeptAnswers } from './kept-answers.js';
import { treatmentOf } from './method-policy.js';
import { GatewayNodes, type GatewayNodesOptions, type NodeAnswer } from './nodes/gateway-nodes.js';
import { internalFault, RpcFault } from './rpc-fault.js';
import type { GatewayCall } from './rpc-request.js';

export interface ChainGatewayOptions
  extends Pick<GatewayNodesOptions, 'headsFreshMs' | 'headsWaitMs' | 'deadlineMs' | 'nodePools'> {
  readonly chain: ChainSpec;
  readonly kept: KeptAnswers;
  readonly logger: HttpLogger;
}

/**
 * One chain behind the gateway. Equal questions that are open at the same time are asked once; answers that stay the same
 * for ever are kept. Invariant: every caller of a shared question gets the same bytes, and sending is never shared.
 */
export class ChainGateway {
  private nodes: GatewayNodes | null = null;
  private readonly open = new Map<string, Promise<NodeAnswer>>();
  private closed = false;

  constructor(private readonly options: ChainGatewayOptions) {}

  get chain(): ChainSpec {
    return this.options.chain;
  }

  /** The nodes are known: those of a local chain come once it is made. */
  serve(urls: readonly string[]): void {
    const { chain, logger, headsFreshMs, headsWaitMs, deadlineMs, nodePools } = this.options;
    const pace = { headsFreshMs, headsWaitMs, deadlineMs };
    if (!this.closed) this.nodes = new GatewayNodes({ chain, urls, logger, nodePools, ...pace });
  }

  status() {
    return { chain: this.chain.slug, open: this.open.size, nodes: this.nodes?.status() ?? [] };
  }

  /** RpcFault where the method is not served or no node answered. */
  async ask({ method, params }: Pick<GatewayCall, 'method' | 'params'>): Promise<NodeAnswer> {
    const { chain, kept } = this.options;
    const treatment = treatmentOf(chain.family, method);
    if (treatment instanceof RpcFault) throw treatment;
    const { nodes } = this;
    if (nodes === null) throw internalFault(`the nodes of ${chain.slug} are not known yet: ask again in a moment`);
    const text = jsonText(params);
    if (treatment === 'send') return nodes.ask({ method, params: text, anyNode: false, sends: true });
    const question = `${chain.slug} ${method} ${text}`;
    const anyNode = isImmutable(chain.family, method, params);
    const found = anyNode ? kept.get(question) : undefined;
    if (found !== undefined) return { result: new ByteChunks([found]) };
    let answer = this.open.get(question);
    if (answer === undefined) {
      answer = nodes.ask({ method, params: text, anyNode, sends: false }).finally(() => this.open.delete(question));
      this.open.set(question, answer);
      if (anyNode) {
        answer.then(
          ({ result, doubted }) => result && !doubted && kept.put(question, result),
          () => undefined,
        );
      }
    }
    return answer;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.nodes?.close();
  }
}
