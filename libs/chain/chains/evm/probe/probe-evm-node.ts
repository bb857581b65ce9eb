import { TidepoolError } from '#libs/core/errors.js';
import { NodeSurvey } from '../../probe/node-survey.js';
import { ProbeNode } from '../../probe/probe-node.js';
import { Refusal } from '../../probe/refusal.js';
import type { NodeReport, ProbeProgress } from '../../probe/report.js';
import { probeSocket } from '../../probe/socket-probe.js';
import { blockToAsk, evmCapabilities } from './evm-capabilities.js';
import { evmDepths, evmLimits } from './evm-limits.js';
import { type EvmWayName, evmWays } from './evm-ways.js';

export interface EvmProbeOptions {
  readonly url: string;
  /** Where heads are announced; null: it is not asked. */
  readonly wsUrl: string | null;
  readonly chainId: number;
  readonly from: number;
  readonly seconds: number;
  readonly parallel: number;
  readonly ways: readonly EvmWayName[];
  /** First topics of the events that are of interest. */
  readonly topics: readonly string[];
  /** Contracts that are known before anything was read. */
  readonly addresses: readonly string[];
  readonly blockTimeMs: number;
  readonly signal: AbortSignal;
  readonly progress: ProbeProgress;
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 96 * 1024 * 1024;
const LEAST_WAIT_MS = 5_000;

/** Measures an EVM node for about the given time: what it has, how far back, how much at once, and what its history takes. */
export async function probeEvmNode(options: EvmProbeOptions): Promise<NodeReport> {
  const { url, chainId, from, seconds, parallel, progress } = options;
  // What still waits for the socket ends with the measurement.
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const measured = new AbortController();
  const node = new ProbeNode({ url, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, connections: parallel + 2, signal });
  const survey = new NodeSurvey({ node, seconds, parallel, signal, progress });
  try {
    await mustServe(survey, chainId);
    const head = await headOf(survey);
    if (head < from) {
      throw new TidepoolError('usage', `--from ${from} is above the newest block of the node, ${head}`);
    }
    const socket = announcedHeads({ ...options, signal }, measured.signal);
    const client = await survey.call<string>('web3_clientVersion', []).catch(silent);
    const latencyMs = await survey.latency('eth_blockNumber');
    const headSpread = await survey.headSpread(() => headOf(survey));
    const at = await blockToAsk(survey, from, head);
    await evmCapabilities(survey, at, options.topics);
    const sizes = await evmLimits(survey, node, from, Number(at.number));
    await evmDepths(survey, { from, head: Number(at.number) });
    const { topics, addresses } = options;
    const ways = evmWays({ sizes, topics, addresses });
    const readable = oldestReadable(survey, from);
    await survey.measure(
      options.ways.map((name) => ways[name]),
      { from: readable, head: Number(at.number) },
    );
    measured.abort();
    const seen = await socket;
    if (seen !== null) survey.capabilities.push(seen);
    const { capabilities, limits, depths, ways: tried } = survey;
    const heights = head - readable + 1;
    return {
      ...{ client, head, wishedFrom: from, from: readable, heights, latencyMs, headSpread },
      ...{ capabilities, limits, depths, ways: tried, traffic: node.traffic },
    };
  } finally {
    over.abort();
    await node.close();
  }
}

async function mustServe(survey: NodeSurvey, chainId: number): Promise<void> {
  const id = Number(await survey.call<string>('eth_chainId', []));
  if (id !== chainId) {
    throw new TidepoolError('wrong_chain', `the node serves chain id ${id}, the chain that is planned is ${chainId}`);
  }
}

async function headOf(survey: NodeSurvey): Promise<number> {
  const head = Number(await survey.call<string>('eth_blockNumber', []));
  if (!Number.isSafeInteger(head)) throw new Refusal('a head that is no number');
  return head;
}

/** What is below the node's oldest block cannot be read in any way, and is not planned. */
function oldestReadable({ depths }: NodeSurvey, from: number): number {
  return depths.find(({ name }) => name === 'blocks')?.oldest ?? from;
}

async function announcedHeads({ wsUrl, blockTimeMs, signal }: EvmProbeOptions, enough: AbortSignal) {
  if (wsUrl === null) return null;
  const wait = Math.max(LEAST_WAIT_MS, 2 * blockTimeMs);
  const question = { method: 'eth_subscribe', params: ['newHeads'] };
  const { confirmed, news, refused } = await probeSocket(wsUrl, question, wait, { signal, enough });
  return {
    name: 'heads over a socket',
    has: confirmed,
    seen: refused ?? (news ? 'a head came' : 'confirmed, no head came meanwhile'),
    need: 'blocks as they come, with fewer questions',
  };
}

/** Nothing depends on the name of the program behind the node. */
function silent(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
}
