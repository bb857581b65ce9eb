import { duration } from '#libs/platform/duration.js';
import { table } from '../text-table.js';
import type { NodePlan, PlannedWay } from './make-plan.js';

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

function sizeText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${SIZES[step]}`;
}

const DAY = 86_400;

const timeText = (seconds: number): string =>
  seconds < 2 * DAY ? duration(seconds) : `${(seconds / DAY).toFixed(1)} days`;

const moneyText = (usd: number | null): string => (usd === null ? '-' : `$${usd < 100 ? usd.toFixed(2) : whole(usd)}`);

/** The plan for people. */
export function planText(plan: NodePlan): string {
  const { chain, client, head, from, wishedFrom, heights, latencyMs, headSpread, ways, best, lacks, traffic } = plan;
  const begins = from === wishedFrom ? '' : ` (asked for ${whole(wishedFrom)}, which this node does not have)`;
  const lines = [
    `${chain}: ${client ?? 'a node that does not say what it is'}, head ${whole(head)}, ${latencyMs.toFixed(1)} ms an answer`,
    `history from ${whole(from)}${begins}: ${whole(heights)} ${plan.depths[0]?.name ?? 'blocks'}`,
    ...(headSpread > 1 ? [`heads of one moment are ${whole(headSpread)} apart`] : []),
    '',
    wayTable(ways),
    '',
    ...ways.map(({ name, about, slowedDown }) => {
      const slowed = slowedDown === 0 ? '' : `; the node asked to be asked less often ${whole(slowedDown)} times`;
      return `  ${name}: ${about}${slowed}`;
    }),
    '',
    best === null ? 'no way of reading the history works at this node' : `quickest here: ${best}`,
    '',
    limitTable(plan),
    '',
    ...(lacks.length === 0
      ? ['it lacks nothing that was looked for']
      : ['it lacks', ...lacks.map((lack) => `  ${lack}`)]),
    '',
    `measured with ${whole(traffic.requests)} requests (${whole(traffic.calls)} calls, ${sizeText(traffic.bytes)})`,
  ];
  return `${lines.join('\n')}\n`;
}

function wayTable(ways: readonly PlannedWay[]): string {
  const head = [
    'way',
    'requests',
    'calls',
    'units',
    'traffic',
    'time',
    'disk',
    'memory',
    'cost',
    'events',
    'read',
    'at once',
  ];
  const rows = ways.map((way) => {
    if (way.refused !== null) return [way.name, ...Array.from({ length: head.length - 1 }, () => '-')];
    const { bill, needs } = way;
    return [
      ...[way.name, whole(way.requests), whole(bill.calls), whole(bill.units)],
      ...[sizeText(way.bytes), timeText(way.seconds)],
      ...[sizeText(needs.diskBytes), sizeText(needs.memoryBytes)],
      ...[moneyText(bill.usd), whole(way.events), whole(way.heightsRead), whole(way.heightsPerQuestion)],
    ];
  });
  return table(head, rows);
}

function limitTable({ limits, depths, capabilities }: NodePlan): string {
  const rows = [
    ...limits.map(({ name, size, refused }) => {
      if (refused === null && size === 0) return [name, 'not known', 'the time was over'];
      return [
        name,
        refused === null ? `${whole(size)} and more` : whole(size),
        refused?.sentence ?? 'no more was tried',
      ];
    }),
    ...depths.map(({ name, oldest, sentence }) => [
      `${name}, how far back`,
      oldest === null ? 'none' : `from ${whole(oldest)}`,
      sentence ?? '',
    ]),
    ...capabilities.map(({ name, has, seen }) => [name, has === null ? 'not known' : has ? 'yes' : 'no', seen]),
  ];
  return table(['what', 'has', 'seen'], rows);
}
