import { TidepoolError } from '#libs/core/errors.js';
import { NodeSurvey } from '../../probe/node-survey.js';
import { ProbeNode } from '../../probe/probe-node.js';
import { Refusal } from '../../probe/refusal.js';
import type { Capability, NodeReport, ProbeProgress } from '../../probe/report.js';
import { probeSocket } from '../../probe/socket-probe.js';
import { blockQuestion, CONFIRMED } from './solana-questions.js';
import { blockFrom, oldInstructions, solanaCapabilities, solanaDepths, solanaLimits } from './solana-survey.js';
import { type SolanaWayName, solanaWays } from './solana-ways.js';

export interface SolanaProbeOptions {
  readonly url: string;
  /** Where blocks are pushed; null: it is not asked. */
  readonly wsUrl: string | null;
  readonly from: number;
  readonly seconds: number;
  readonly parallel: number;
  readonly ways: readonly SolanaWayName[];
  readonly signal: AbortSignal;
  readonly progress: ProbeProgress;
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 128 * 1024 * 1024;
const SOCKET_MS = 10_000;
/** Slots below the head that all machines of a provider have. */
const SETTLED = 40;

/** Measures a Solana node for about the given time: what it has, how far back, how much at once, and what its history takes. */
export async function probeSolanaNode(options: SolanaProbeOptions): Promise<NodeReport> {
  const { url, from, seconds, parallel, progress } = options;
  // What still waits for the sockets ends with the measurement.
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const measured = new AbortController();
  const node = new ProbeNode({ url, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, connections: parallel + 2, signal });
  const survey = new NodeSurvey({ node, seconds, parallel, signal, progress });
  try {
    await mustBeSolana(survey);
    const head = await slotOf(survey);
    if (head < from) throw new TidepoolError('usage', `--from ${from} is above the newest slot of the node, ${head}`);
    const sockets = pushed({ ...options, signal }, measured.signal);
    const client = await clientOf(survey);
    const latencyMs = await survey.latency('getSlot');
    const headSpread = await survey.headSpread(() => slotOf(survey));
    const at = await blockFrom(survey, Math.max(from, head - SETTLED));
    const version = await solanaCapabilities(survey, at);
    const { range, list } = await solanaLimits(survey, node, from, at);
    await solanaDepths(survey, { from, head: at });
    const readable = survey.depths.find(({ name }) => name === 'blocks')?.oldest ?? from;
    await oldInstructions(survey, readable);
    const ways = solanaWays({ range, list, version });
    const usable = options.ways.filter((name) => name !== 'lists' || list > 1);
    await survey.measure(
      usable.map((name) => ways[name]),
      { from: readable, head: at },
    );
    measured.abort();
    survey.capabilities.push(...(await sockets));
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

async function mustBeSolana(survey: NodeSurvey): Promise<void> {
  try {
    await survey.call<string>('getGenesisHash', []);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new TidepoolError('wrong_chain', `the node does not say which Solana chain it serves: ${error.sentence}`);
  }
}

async function slotOf(survey: NodeSurvey): Promise<number> {
  const slot = await survey.call<number>('getSlot', [CONFIRMED]);
  if (!Number.isSafeInteger(slot)) throw new Refusal('a slot that is no number');
  return slot;
}

async function clientOf(survey: NodeSurvey): Promise<string | null> {
  try {
    const version = await survey.call<Record<string, unknown>>('getVersion', []);
    return typeof version?.['solana-core'] === 'string' ? `solana-core ${version['solana-core']}` : null;
  } catch (error) {
    // Nothing depends on the name of the program behind the node.
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function pushed({ wsUrl, signal }: SolanaProbeOptions, enough: AbortSignal): Promise<Capability[]> {
  if (wsUrl === null) return [];
  const config = { ...blockQuestion(0), showRewards: false };
  const [slots, blocks] = await Promise.all([
    probeSocket(wsUrl, { method: 'slotSubscribe', params: [] }, SOCKET_MS, { signal, enough }),
    probeSocket(wsUrl, { method: 'blockSubscribe', params: ['all', config] }, SOCKET_MS, { signal, enough }),
  ]);
  const seen = (what: string, { confirmed, news, refused }: typeof slots): Pick<Capability, 'has' | 'seen'> => ({
    has: confirmed,
    seen: refused ?? (news ? `a ${what} came` : `confirmed, no ${what} came meanwhile`),
  });
  return [
    { name: 'slots over a socket', need: 'new blocks at once, with fewer questions', ...seen('slot', slots) },
    { name: 'blocks over a socket', need: 'new blocks without a question each', ...seen('block', blocks) },
  ];
}
