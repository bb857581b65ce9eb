import { parseAbi } from 'viem';
import type { Hex } from '#libs/core/ids.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import { BuildChain } from './build-chain.js';
import { type QuotedRequest, TestBuilder } from './open-builder.js';
import { lacking, RpcProxy } from './rpc-proxy.js';

export const ABI = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function multicall(uint256 deadline, bytes[] data)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
]);
export const OTHER: Hex = 'bb'.repeat(20);

/** A chain and a builder on it, as every case finds them: the state is put back after each. */
export interface BuildBench {
  readonly way: 'eth_simulateV1' | 'eth_call';
  readonly local: BuildChain;
  readonly builder: TestBuilder;
  build(quote: EvmQuote, rest?: Partial<QuotedRequest>): Promise<EvmSwapAnswer>;
  /** Status, code and reason of a build that must not succeed. */
  problem(build: Promise<unknown>): Promise<[number, string, string]>;
  usd(symbol: string, dollars: number): bigint;
  router(protocol: 'v2' | 'v3'): Hex;
}

/** The same cases on a node that knows eth_simulateV1 and on one without it: the answers are the same. */
export function describeBuilds(name: string, cases: (bench: BuildBench) => void): void {
  describe.each(['eth_simulateV1', 'eth_call'] as const)(`${name}, by %s`, (way) => {
    const bench = new Bench(way);
    beforeAll(() => bench.open());
    afterAll(() => bench.close());
    beforeEach(() => bench.keep());
    afterEach(() => bench.putBack());
    cases(bench);
  });
}

class Bench implements BuildBench {
  local!: BuildChain;
  builder!: TestBuilder;
  private proxy!: RpcProxy;
  private snapshot = '';

  constructor(readonly way: BuildBench['way']) {}

  async open(): Promise<void> {
    this.local = await BuildChain.open('eth');
    this.proxy = await RpcProxy.open(this.local.chain.rpcUrl);
    if (this.way === 'eth_call') this.proxy.interfere = lacking('eth_simulateV1');
    this.builder = new TestBuilder({ chain: this.local.spec, rpcUrls: [this.proxy.url], logger: silentLogger });
  }

  async close(): Promise<void> {
    await this.builder?.close();
    await this.proxy?.close();
    await this.local?.close();
  }

  async keep(): Promise<void> {
    this.snapshot = await this.local.chain.rpc.call('evm_snapshot');
  }

  async putBack(): Promise<void> {
    await this.local.chain.rpc.call('evm_revert', [this.snapshot]);
  }

  build(quote: EvmQuote, rest: Partial<QuotedRequest> = {}): Promise<EvmSwapAnswer> {
    const { wallet } = this.local;
    const request = { quote, wallet, recipient: null, slippageBps: null, deadlineSeconds: 300, ...rest };
    return this.builder.build(request, new AbortController().signal);
  }

  async problem(build: Promise<unknown>): Promise<[number, string, string]> {
    const error = (await build.then(
      (answer) => {
        throw new Error(`it was built: ${JSON.stringify(answer)}`);
      },
      (reason: unknown) => reason,
    )) as HttpProblem;
    return [error.status, error.code, error.message];
  }

  usd(symbol: string, dollars: number): bigint {
    return this.local.units(this.local.token(symbol), dollars);
  }

  router(protocol: 'v2' | 'v3'): Hex {
    return this.local.venue(protocol).contracts!.router;
  }
}
