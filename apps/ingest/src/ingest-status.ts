import type { NodeState, SourceProgress } from '#libs/chain/chains/source-port.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { StageStatus } from '#libs/platform/stage.js';
import type { IngestStatus } from '#libs/serve/contract/ingest-status.js';
import type { BuildingStatus, HistoryProgress, NodeStatus } from '#libs/serve/contract/rest/status-body.js';
import { nodeProblem, nodesVariable } from './source/node-problem.js';
import type { SourceBuild, SourceStatus } from './source/source-status.js';
import { stageTrouble } from './stage-trouble.js';

/** A stage's last failure that it has not got over. */
export interface StageFailure {
  stage: string;
  code: string;
}

export interface IngestView {
  source: SourceStatus;
  upgrade: StageStatus;
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
    building: buildingOf(chain.slug, view),
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

/** What the upgrade builds; before that, what the source is about to read for it. */
function buildingOf(chain: string, { source, upgrade }: IngestView): BuildingStatus | null {
  const { building, served, reason, percent, etaSeconds, waiting } = upgrade.detail;
  const reading = source.building;
  if (typeof building !== 'string') {
    if (reading === null) return null;
    const version = reading.epoch === null ? null : `e${reading.epoch}`;
    const none = { percent: 0, block: fromZero(reading.head), etaSeconds: null };
    return { version, served: null, reason: reading.reason, ...none, waiting: readingTrouble(chain, reading) };
  }
  const isRead = reading !== null && building.startsWith(`e${reading.epoch}.`);
  const trouble = isRead ? readingTrouble(chain, reading) : null;
  return {
    ...{ version: building, served: String(served), reason: String(reason), percent: Number(percent) },
    ...{ block: fromZero(upgrade.height), etaSeconds: etaSeconds as number | null },
    waiting: trouble ?? (waiting as string | null),
  };
}

/** Why the blocks of another epoch do not come. */
function readingTrouble(chain: string, { problem }: SourceBuild): string | null {
  if (problem === null) return null;
  const { what } = nodeProblem(problem.kind, problem.message, nodesVariable(chain));
  return `a node ${what}; where none serves the old blocks any more, tidepool upgrade --plan names the cut to accept`;
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
  if (source.state !== 'head' && source.missing.length > 0) return source.missing.join('; ');
  if (source.state === 'waiting') return 'the nodes announce no new block; the chain or the nodes stand still';
  if (source.state === 'stopped') return 'the reading of the chain is stopped';
  return null;
}
