import type { JsonRpcEndpoint } from '#libs/chain/chains/rpc/endpoint.js';
import type { NodePool } from '#libs/chain/chains/rpc/node-pool.js';
import type { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { SocketProblem } from '#libs/chain/chains/rpc/subscription-socket.js';
import { isGeyserUrl } from '#libs/chain/chains/solana/geyser/geyser-address.js';
import { EpochBrokenError, type NodeState, type SourceObserver } from '#libs/chain/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';

/** What every source that asks JSON-RPC nodes has to say about them. */

/** Refusals in a row, of one kind of question, after which a node that answers others is taken to lack it. */
export const UNCLEAR_REFUSALS = 6;

/** URLs that answer questions; the others only announce. */
export const isHttp = (url: string): boolean => /^https?:/i.test(url);

/** The state of each node, in the order of the configuration. */
export function nodeStates<E extends JsonRpcEndpoint>(
  urls: readonly string[],
  rpc: NodePool<E>,
  socketProblem: (url: string) => SocketProblem | null,
): NodeState[] {
  const endpoints = rpc.endpoints.values();
  return urls.map((url): NodeState => {
    if (!isHttp(url)) {
      const problem = socketProblem(url);
      const transport = isGeyserUrl(url) ? 'grpc' : 'ws';
      return { transport, ok: problem === null, problem: problem && { kind: 'transport', ...problem } };
    }
    const endpoint = endpoints.next().value!;
    const problem = rpc.problemOf(endpoint);
    const lacks = rpc.lacksOf(endpoint).map(({ what, below, message }) => ({ what, below, message }));
    const ok = problem === null && endpoint.disabled === null;
    return { transport: 'http', ok, problem, ...(lacks.length > 0 && { lacks }) };
  });
}

/** Throws EpochBrokenError when every node that answers has another genesis block; one that differs alone is distrusted. */
export async function checkGenesis<E extends JsonRpcEndpoint>(
  rpc: NodePool<E>,
  genesisOf: (endpoint: E) => Promise<Hex>,
  expected: Hex,
  signal: AbortSignal,
): Promise<void> {
  let others = 0;
  for (let n = 0; n < rpc.endpoints.length; n++) {
    const found = await rpc.use(async (endpoint) => {
      const hash = await genesisOf(endpoint);
      if (hash !== expected && ++others < rpc.endpoints.length)
        throw endpoint.error('inconsistent-response', 'another genesis block');
      return hash;
    }, signal);
    if (found === expected) return;
  }
  throw new EpochBrokenError('the genesis block changed');
}

/** Tells of a failure of the node whose number is in its message. */
export function countError(error: RpcError, observer: SourceObserver): void {
  const endpoint = Number(/endpoint (\d+)/.exec(error.message)?.[1] ?? 0) - 1;
  observer.rpcError?.(error.kind, endpoint, error.message);
  if (error.kind === 'inconsistent-response') observer.distrusted?.(error.message);
}
