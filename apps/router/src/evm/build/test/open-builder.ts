import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Logger } from '#libs/platform/logger.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import { asProblem } from '../../../http/router-problem.js';
import { openEvmNodes } from '../../evm-nodes.js';
import type { BuildRequest } from '../../model/build-request.js';
import type { EvmSwapBuilder } from '../../ports.js';
import { readQuote } from '../../quote/read-quote.js';
import { swapAnswer } from '../../swap/swap-answer.js';
import { TokenFindings } from '../../tokens/token-findings.js';
import { createSwapBuilder } from '../create-swap-builder.js';

/** A build request whose quote is as it was answered. */
export type QuotedRequest = Omit<BuildRequest, 'quote'> & { quote: EvmQuote };

export interface TestBuilderOptions {
  chain: ChainSpec;
  rpcUrls: readonly string[];
  logger?: Logger;
  exchangeMs?: number;
}

/** A builder over nodes of its own, from a quote's text to the answer's, with refusals as problems of HTTP. */
export class TestBuilder {
  readonly tokens = new TokenFindings(() => Date.now());
  private readonly nodes: ReturnType<typeof openEvmNodes>;
  private readonly builder: EvmSwapBuilder;

  constructor(private readonly options: TestBuilderOptions) {
    const { chain, rpcUrls, logger = silentLogger, exchangeMs } = options;
    this.nodes = openEvmNodes(chain, { urls: rpcUrls, logger, exchangeMs, nodePools: null });
    this.builder = createSwapBuilder({ chain, nodes: this.nodes, logger, tokens: this.tokens });
  }

  async build(request: QuotedRequest, signal: AbortSignal): Promise<EvmSwapAnswer> {
    try {
      const quote = readQuote(this.options.chain, request.quote);
      return swapAnswer(await this.builder.build({ ...request, quote }, signal));
    } catch (error) {
      throw asProblem(error);
    }
  }

  simulation() {
    return this.builder.simulation();
  }

  close(): Promise<void> {
    return this.nodes.close();
  }
}
