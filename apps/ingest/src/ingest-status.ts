import type { NodeState, SourceProgress } from '#libs/chains/source-port.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { IngestStatus } from '#libs/protocol/ingest-status.js';
import type { HistoryProgress, NodeStatus } from '#libs/protocol/rest/status-body.js';
import { nodeProblem, nodesVariable } from './source/node-problem.js';
import type { SourceStatus } from './source/source-status.js';
import { stageTrouble } from './stage-trouble.js';

/** A stage's last failure that it has not got over. */
export interface StageFailure {
  stage: string;
  code: string;
}

export interface IngestView {
  source: SourceStatus;
  /** Height up to which the tables are. */
  checkpointBlock: number | null;
  failures: readonly StageFailure[];
}

/** The status of one chain from those of its stages; errors are replaced by sentences for an operator. */
export function ingestStatus(chain: ChainSpec, view: IngestView, startedAt: number, at: number): IngestStatus {
  const { source, checkpointBlock } = view;
  const nodes = source.nodes.map((node, index) => nodeStatus(chain.slug, node, index));
  const { head, headHash, headTime } = source;
  // Before the first block the head is the base of the epoch, which is no block of ours.
  const known = head !== null && headHash !== null && headHash !== '' && headTime !== null && head >= 0;
  return {
    ...{ version: 1, chain: chain.slug, startedAt, at },
    state: source.state === 'head' ? 'live' : source.state,
    head: known ? { block: head, hash: chain.ids.formatBlockHash(headHash), time: headTime } : null,
    chainHead: source.chainHead,
    lagBlocks: source.lag,
    finalized: fromZero(source.finalized),
    sealed: fromZero(source.sealed),
    checkpointBlock: fromZero(checkpointBlock),
    progress: source.progress && progressOf(source.progress),
    reorgs: { count: source.reorgs, deepest: source.deepestReorg, last: source.lastReorg },
    nodes,
    trouble: troubleOf(chain.slug, view, nodes),
  };
}

/** −1 means nothing yet. */
const fromZero = (height: number | null): number | null => (height === null || height < 0 ? null : height);

function progressOf({ from, to, done, total, blocksPerSecond, etaSeconds }: SourceProgress): HistoryProgress {
  return {
    fromBlock: from,
    block: from + done - 1,
    toBlock: to,
    percent: Math.round((done / Math.max(total, 1)) * 1_000) / 10,
    blocksPerSecond: Math.round(blocksPerSecond * 10) / 10,
    etaSeconds: etaSeconds === null ? null : Math.round(etaSeconds),
  };
}

function nodeStatus(chain: string, { transport, ok, problem }: NodeState, index: number): NodeStatus {
  const words = problem && nodeProblem(problem.kind, problem.message, nodesVariable(chain));
  return {
    name: `node ${index + 1}`,
    ...{ transport, ok },
    problem: words && `${words.what}; ${words.next}`,
    problemAt: problem?.at ?? null,
  };
}

/** The first of what keeps the chain from moving, the most final first. */
function troubleOf(chain: string, { source, failures }: IngestView, nodes: readonly NodeStatus[]): string | null {
  const [failure] = failures;
  if (failure !== undefined) return stageTrouble(failure, nodesVariable(chain));
  const answering = nodes.filter(({ transport }) => transport === 'http');
  if (answering.length > 0 && answering.every(({ ok }) => !ok)) {
    return `no node can be used: ${answering.map(({ name, problem }) => `${name} ${problem ?? 'is not used'}`).join('. ')}`;
  }
  if (source.state === 'waiting') return 'the nodes announce no new block; the chain or the nodes stand still';
  if (source.state === 'stopped') return 'the reading of the chain is stopped';
  return null;
}
