import type { Answer, Behaviour, Call, Json, NodeView, Request, Rule } from './behaviour.js';
import { blocksOf } from './blocks-of-call.js';

/** Blocks that the machine which answers a request is behind the honest node. */
type LagOf = (request: Request, node: NodeView) => number | Promise<number>;

/**
 * A balancer: each request goes to one of several machines, each behind by another number of blocks. What a machine does
 * not have yet does not exist for it: it says so for a block, and silently leaves it out of a range.
 */
export function backends(...lags: number[]): Behaviour['rule'] {
  return (node) => follows(node, () => node.random.pick(lags));
}

/** A node whose newest block stays what it was, at a share of the chain. */
export function stuckAt(share: number): Behaviour['rule'] {
  return (node) => follows(node, async () => (await node.head()) - Math.floor(share * node.startHead));
}

function follows(node: NodeView, lagOf: LagOf): Rule {
  const newest = async ({ lag }: Request): Promise<number> => (await node.head()) - lag;
  const family = node.family === 'evm' ? evmMachine : solanaMachine;
  return {
    onRequest: async (request) => {
      request.lag = Math.max(request.lag, await lagOf(request, node));
      if (request.lag > 0) node.struck();
      return null;
    },
    onCall: async (call, request) => (request.lag > 0 ? family.lacks(call, await newest(request), node) : null),
    asks: async (call, request) => (request.lag > 0 ? family.asks(call, await newest(request)) : call),
    onResult: async (call, result, request) =>
      request.lag > 0 ? family.cut(call, result, await newest(request)) : result,
  };
}

interface Machine {
  lacks(call: Call, newest: number, node: NodeView): Promise<Answer | null>;
  asks(call: Call, newest: number): Call;
  cut(call: Call, result: Json, newest: number): Json;
}

const hex = (height: number): string => `0x${height.toString(16)}`;

const evmMachine: Machine = {
  async lacks(call, newest, node) {
    const span = await blocksOf(call, node);
    if (span === null || span.to <= newest) return null;
    if (/^eth_getBlock/.test(call.method)) return { result: null };
    const isRange = call.method === 'eth_getLogs' && call.params[0].blockHash === undefined;
    return isRange ? null : { error: { code: -32000, message: 'header not found' } };
  },
  asks({ id, method, params }, newest) {
    const latest = (value: Json): Json => (value === 'latest' || value === 'pending' ? hex(newest) : value);
    return { id, method, params: params.map(latest) };
  },
  cut({ method }, result, newest) {
    if (method === 'eth_blockNumber') return hex(newest);
    if (method === 'eth_getBlockByNumber' && result !== null && Number(result.number) > newest) return null;
    return method === 'eth_getLogs' ? result.filter((log: Json) => Number(log.blockNumber) <= newest) : result;
  },
};

const solanaMachine: Machine = {
  async lacks({ method, params }, newest) {
    if (method === 'getBlock' && params[0] > newest) {
      return { error: { code: -32004, message: `Block not available for slot ${params[0]}` } };
    }
    const least = params.at(-1)?.minContextSlot;
    if (typeof least !== 'number' || least <= newest) return null;
    return {
      error: { code: -32016, message: 'Minimum context slot has not been reached', data: { contextSlot: newest } },
    };
  },
  asks: (call) => call,
  cut({ method }, result, newest) {
    if (method === 'getSlot') return Math.min(result, Math.max(newest, 0));
    return /^getBlocks/.test(method) ? result.filter((slot: number) => slot <= newest) : result;
  },
};
