import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import type { Move, MoveResult } from './moves.js';
import { atHead, gasPrice, type ProbeHead, PURSE } from './probe-head.js';

const MOVE_GAS = 8_000_000;

/** A block that is simulated; `after`: seconds since the one before it, a block time when absent. */
export interface BlockAhead {
  readonly moves: readonly Move[];
  readonly after?: number;
}

/**
 * eth_simulateV1: the moves become transactions of blocks on top of the head, from accounts as they are. All but the pool, whose
 * coins must stay as they are, pay for gas as real ones do. Null: the node does not offer it.
 */
export async function simulateAhead(
  endpoint: RpcEndpoint,
  blocks: readonly BlockAhead[],
  { head, pool, signal }: { head: ProbeHead; pool: Hex; signal?: AbortSignal | undefined },
): Promise<MoveResult[] | null> {
  const senders = new Set(blocks.flatMap(({ moves }) => moves.flatMap(({ from }) => (from === null ? [] : [from]))));
  senders.delete(pool);
  const stateOverrides = Object.fromEntries([...senders].map((id) => [`0x${id}`, { balance: PURSE }]));
  let time = Math.floor(head.time / 1_000);
  const blockStateCalls = blocks.map(({ moves, after = 12 }, n) => {
    time += after;
    const calls = moves.map(({ from, to, data }) => ({
      ...{ from: `0x${from ?? '1'.repeat(40)}`, to: `0x${to}`, data: `0x${data}`, gas: quantity(MOVE_GAS) },
      ...(from !== null && from !== pool && { gasPrice: gasPrice(head) }),
    }));
    const blockOverrides = { time: quantity(time), feeRecipient: `0x${head.miner}` };
    return { blockOverrides, ...(n === 0 && { stateOverrides }), calls };
  });
  const [answer] = await endpoint.batch(
    [{ method: 'eth_simulateV1', params: [{ blockStateCalls, validation: false }, atHead(head)] }],
    signal,
  );
  if (answer!.error?.kind === 'method-missing') return null;
  if (answer!.error) throw answer!.error;
  const results = (answer!.result as { calls?: unknown }[] | null)?.flatMap?.(({ calls }) => calls) as unknown[];
  if (!Array.isArray(results) || results.length !== blocks.reduce((sum, { moves }) => sum + moves.length, 0)) {
    throw endpoint.error('invalid', 'a simulation without the calls that were asked for');
  }
  return results.map((result) => readResult(result as Record<string, unknown> | null));
}

function readResult(result: Record<string, unknown> | null): MoveResult {
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(2).toLowerCase() : '');
  const ok = result?.status === '0x1';
  const failure = result?.error as { data?: unknown } | undefined;
  return { ok, data: ok ? text(result?.returnData) : text(failure?.data) };
}

/** Whether an error says that the node cannot simulate with another state than its own. */
export const cannotSimulate = (error: unknown): boolean => error instanceof RpcError && error.kind === 'method-missing';
