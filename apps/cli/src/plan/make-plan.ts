import type { EvmWayName } from '#libs/chain/chains/evm/probe/evm-ways.js';
import { probeEvmNode } from '#libs/chain/chains/evm/probe/probe-evm-node.js';
import { Refusal } from '#libs/chain/chains/probe/refusal.js';
import type { MeasuredWay, NodeReport, ProbeProgress } from '#libs/chain/chains/probe/report.js';
import { probeSolanaNode } from '#libs/chain/chains/solana/probe/probe-solana-node.js';
import type { SolanaWayName } from '#libs/chain/chains/solana/probe/solana-ways.js';
import { TidepoolError } from '#libs/core/errors.js';
import { lacksOf } from './lacks.js';
import { type OwnNeeds, ownNeeds } from './own-needs.js';
import type { PlanRequest } from './plan-options.js';
import { type Bill, billOf } from './prices.js';
import { knownContracts, wantedTopics } from './wanted-topics.js';

export interface PlannedWay extends MeasuredWay {
  readonly bill: Bill;
  readonly needs: OwnNeeds;
}

export interface NodePlan extends Omit<NodeReport, 'ways'> {
  readonly chain: string;
  /** The ways that were tried; those that the node takes first, the quickest of them at the top. */
  readonly ways: readonly PlannedWay[];
  /** The quickest way that the node takes; null where it takes none. */
  readonly best: string | null;
  /** What it lacks, each with what that means. */
  readonly lacks: readonly string[];
}

/** Measures the node and says what its history takes. */
export async function makePlan(request: PlanRequest, signal: AbortSignal, progress: ProbeProgress): Promise<NodePlan> {
  const { chain, prices, units } = request;
  const { ways: measured, ...report } = await probe(request, signal, progress).catch(explain);
  const ways = measured
    .map((way): PlannedWay => ({ ...way, bill: billOf(way, prices, units), needs: ownNeeds(chain.family, way.events) }))
    .sort((a, b) => Number(a.refused !== null) - Number(b.refused !== null) || a.seconds - b.seconds);
  const best = ways.find(({ refused }) => refused === null)?.name ?? null;
  return { chain: chain.slug, ...report, ways, best, lacks: lacksOf({ ...report, ways }) };
}

/** A refusal of something that no plan can be made without. */
function explain(error: unknown): never {
  if (error instanceof Refusal) throw new TidepoolError('node_refused', `the node cannot be asked: ${error.sentence}`);
  throw error;
}

function probe(request: PlanRequest, signal: AbortSignal, progress: ProbeProgress): Promise<NodeReport> {
  const { chain, url, wsUrl, from, seconds, parallel, ways } = request;
  const shared = { url, wsUrl, from, seconds, parallel, signal, progress };
  if (chain.family === 'solana') return probeSolanaNode({ ...shared, ways: ways as readonly SolanaWayName[] });
  return probeEvmNode({
    ...shared,
    ...{ chainId: chain.chainId!, blockTimeMs: chain.blockTimeMs, ways: ways as readonly EvmWayName[] },
    ...{ topics: wantedTopics(chain), addresses: knownContracts(chain) },
  });
}
