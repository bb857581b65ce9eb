import { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { EndpointOptions } from '#libs/chain/chains/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { KnownOutcomes } from '#libs/chain/chains/solana/rpc/known-outcomes.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { type GuardedAgent, guardedAgent } from '#libs/platform/outbound/guarded-agent.js';
import type { FetchParts } from '#libs/platform/outbound/guarded-fetch.js';
import { OutboundRefusal } from '#libs/platform/outbound/outbound-refusal.js';
import { publicUrl } from '#libs/platform/outbound/public-url.js';
import { badRequest } from '#libs/serve/http/problem.js';

/** Ports that nodes are found at besides those of the web. */
const PORTS = [8443, 8545, 8546, 8899] as const;
const EXCHANGE_MS = 6_000;
const limitsOf = ({ exchangeMs: timeoutMs = EXCHANGE_MS }: CallerNode): EndpointOptions => ({
  ...{ timeoutMs, maxResponseBytes: 4 * 1024 * 1024, maxConcurrency: 4, rateLimitRetries: 0 },
});

export interface CallerNode {
  readonly rpcUrl: string;
  /** The chain's own local node, which may be named although it is not public. */
  readonly trustedOrigin: string | null;
  readonly exchangeMs?: number;
  readonly parts?: FetchParts;
}

/** Runs work on the node that the caller named. What it does wrong is a 400 about `rpcUrl`, in words of our own. */
export function onEvmNode<T>(
  { chainId }: ChainSpec,
  node: CallerNode,
  signal: AbortSignal,
  work: (endpoint: RpcEndpoint) => Promise<T>,
): Promise<T> {
  return guarded(node, async ({ url, agent }) => {
    const endpoint = new RpcEndpoint(0, url, agent, limitsOf(node));
    const served = await endpoint.call<unknown>('eth_chainId', [], signal);
    if (typeof served !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(served) || BigInt(served) !== BigInt(chainId!)) {
      throw badRequest(`rpcUrl: the node does not serve chain id ${chainId}`);
    }
    return work(endpoint);
  });
}

export function onSolanaNode<T>(
  node: CallerNode,
  signal: AbortSignal,
  work: (endpoint: SolanaEndpoint) => Promise<T>,
): Promise<T> {
  return guarded(node, async ({ url, agent }) => {
    const endpoint = new SolanaEndpoint(0, url, agent, limitsOf(node), new KnownOutcomes(1));
    await endpoint.genesisHash(signal);
    return work(endpoint);
  });
}

/** The address alone; a 400 that says why it is no public one. */
export function judgeNodeUrl(node: CallerNode): void {
  try {
    publicUrl(node.rpcUrl, rulesOf(node));
  } catch (error) {
    throw error instanceof OutboundRefusal ? badRequest(`rpcUrl: ${error.message}`) : error;
  }
}

const rulesOf = ({ trustedOrigin, exchangeMs: timeoutMs = EXCHANGE_MS }: CallerNode) => ({
  ...{ schemes: ['https', 'http'] as const, ports: PORTS, timeoutMs },
  trustedOrigins: new Set(trustedOrigin === null ? [] : [trustedOrigin]),
});

async function guarded<T>(node: CallerNode, work: (connected: GuardedAgent) => Promise<T>): Promise<T> {
  let connected: GuardedAgent | null = null;
  try {
    connected = await guardedAgent(node.rpcUrl, rulesOf(node), node.parts);
    return await work(connected);
  } catch (error) {
    if (error instanceof OutboundRefusal) throw badRequest(`rpcUrl: ${error.message}`);
    if (error instanceof RpcError) throw badRequest(`rpcUrl: ${WORDS[error.kind] ?? 'the node refuses the question'}`);
    throw error;
  } finally {
    void connected?.agent.destroy();
  }
}

/** Nothing that a stranger's server said is passed on. */
const WORDS: Partial<Record<RpcError['kind'], string>> = {
  transport: 'the node did not answer',
  unanswered: 'the node did not answer',
  'rate-limited': 'the node takes no more questions now',
  invalid: 'the node does not answer as a node of the chain does',
  server: 'the node answers with a failure',
  'method-missing': 'the node lacks a method that a simulation needs',
  plan: 'the node refuses by its plan',
  quota: 'the node has given all that its plan allows for now',
  key: 'the node refuses the key',
};
