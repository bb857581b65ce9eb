import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { onEvmNode } from '../../caller-node.js';
import type { BuiltLaunch, CreateOrder, EvmLaunchBuilder } from '../../ports.js';

/** A call as the simulation is asked for it. */
export interface AskedCall {
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

export const GAS_USED = 2_000_000n;
export const HELD = 10n ** 19n;
const HASH = `0x${'ab'.repeat(32)}`;
const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

/** What a node that has a launchpad's contracts would answer a builder; what it was asked to run. */
export class FakeEvmNode {
  readonly tried: AskedCall[] = [];
  private readonly server: Server;

  private constructor(
    private readonly chain: ChainSpec,
    /** What a call returns; null: it fails with `failure`. */
    private readonly answer: (call: AskedCall) => string | null,
    public failure = '0x',
  ) {
    this.server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const asked = JSON.parse(Buffer.concat(parts).toString());
      const answers = [asked].flat().map(({ id, method, params }) => ({
        ...{ jsonrpc: '2.0', id, result: this.result(method, params) },
      }));
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
    });
  }

  static async start(chain: ChainSpec, answer: (call: AskedCall) => string | null): Promise<FakeEvmNode> {
    const node = new FakeEvmNode(chain, answer);
    await new Promise<void>((done) => node.server.listen(0, '127.0.0.1', done));
    return node;
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  build({ build }: EvmLaunchBuilder, order: CreateOrder): Promise<BuiltLaunch> {
    this.tried.splice(0);
    const { url: rpcUrl } = this;
    const { signal } = new AbortController();
    return onEvmNode(this.chain, { rpcUrl, trustedOrigin: rpcUrl, exchangeMs: 120_000 }, signal, (endpoint) =>
      build(endpoint, order, signal),
    );
  }

  private result(method: string, params: unknown[]): unknown {
    if (method === 'eth_chainId') return hex(this.chain.chainId!);
    if (method === 'eth_getBalance') return hex(HELD);
    if (method === 'eth_maxPriorityFeePerGas') return hex(1_000_000);
    if (method === 'eth_getBlockByNumber') {
      return { number: hex(77), hash: HASH, timestamp: hex(1_700_000_000), baseFeePerGas: hex(1_000_000) };
    }
    if (method === 'eth_feeHistory') {
      return {
        oldestBlock: hex(77),
        baseFeePerGas: [hex(1_000_000), hex(1_000_000)],
        gasUsedRatio: [0.5],
        reward: [['0x1']],
      };
    }
    if (method !== 'eth_simulateV1') throw new Error(`the builder asked for ${method}`);
    const [{ blockStateCalls }] = params as [{ blockStateCalls: [{ calls: AskedCall[] }] }];
    const calls = blockStateCalls[0].calls.map((call) => {
      this.tried.push(call);
      const returned = this.answer(call);
      const figures = { gasUsed: hex(GAS_USED), maxUsedGas: hex(GAS_USED), logs: [] };
      return returned === null
        ? { ...figures, status: '0x0', returnData: '0x', error: { code: 3, message: 'reverted', data: this.failure } }
        : { ...figures, status: '0x1', returnData: returned };
    });
    return [{ calls }];
  }
}
