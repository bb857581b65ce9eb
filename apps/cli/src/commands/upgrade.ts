import type { ChainPlan, PlanStep } from '#libs/app/operations/upgrade/upgrade-plan.js';
import { TidepoolError } from '#libs/core/errors.js';
import { duration } from '#libs/platform/duration.js';
import { EXIT } from '#libs/platform/exit-code.js';
import { JSON_OPTION } from '../answer.js';
import type { Command, CommandContext } from '../command.js';
import type { NodeReach } from '../upgrade/ask-plan.js';

type PlannedChain = ChainPlan & { nodes: NodeReach | null };

export const upgradeCommand: Command = {
  name: 'upgrade',
  summary: 'what this version rebuilds, how long and how many bytes; accept that history begins later',
  about:
    '--plan says for each chain what a start of this version builds next to what is served: from which version to which,\n' +
    'how long and how many bytes, and where the chain’s nodes no longer serve the blocks for it. It reads and writes nothing.\n' +
    '--accept-cut CHAIN lets the next epoch of a chain begin at HEIGHT (the height that --plan names, without it), where no\n' +
    'node serves the older blocks any more: what is served then begins there too.',
  positionals: [{ name: 'HEIGHT', required: false, about: 'with --accept-cut: the first block that is kept' }],
  options: [
    { name: 'plan', about: 'say what would be rebuilt' },
    { name: 'accept-cut', value: 'CHAIN', about: 'let the next epoch of this chain begin later' },
    JSON_OPTION,
  ],
  async run(context) {
    const { plan, 'accept-cut': chain, json } = context.args.options;
    const [height] = context.args.positionals;
    if ((plan === true) === (chain !== undefined)) throw usage('say either --plan or --accept-cut CHAIN');
    if (plan === true && height !== undefined) throw usage(`unexpected argument ${JSON.stringify(height)}`);
    const { askPlan } = await import('../upgrade/ask-plan.js');
    if (plan === true) {
      const chains = await askPlan(context, null);
      const text = chains.map(chainText).join('\n\n');
      context.stdout.write(json ? `${JSON.stringify({ chains }, null, 2)}\n` : `${text}\n`);
      return EXIT.ok;
    }
    const [planned] = await askPlan(context, String(chain));
    return acceptCut(context, planned!, height);
  },
};

const usage = (reason: string): TidepoolError =>
  new TidepoolError('usage', `${reason}; tidepool upgrade --help shows how to use it`);

async function acceptCut(context: CommandContext, plan: PlannedChain, height: string | undefined): Promise<number> {
  const startHeight = cutToAccept(plan, height);
  const { chain } = plan;
  const answer = (await context.execute('upgrade.accept-cut', { chain, height: startHeight })) as object;
  const words = `${chain}: the next epoch may begin at block ${whole(startHeight)}; what is older goes when it is served`;
  context.stdout.write(context.args.options.json ? `${JSON.stringify(answer, null, 2)}\n` : `${words}\n`);
  return EXIT.ok;
}

/** The height that may be accepted, or an error that says why there is none. */
function cutToAccept({ chain, served, steps, nodes }: PlannedChain, height: string | undefined): number {
  const refuse = (reason: string): never => {
    throw new TidepoolError('no_cut', `${chain}: ${reason}`);
  };
  const step = steps.find(({ kind }) => kind === 'epoch');
  if (served === null || step === undefined) return refuse('there is no cut to accept: no other epoch is to be read');
  const oldest = nodes?.oldest ?? null;
  if (oldest !== null && oldest <= step.wishedStart) {
    return refuse(`there is no cut to accept: its nodes serve every block from ${whole(step.wishedStart)} on`);
  }
  if (height === undefined) {
    return (
      nodes?.cut ?? refuse(`the height has to be named, for ${nodes?.problem ?? 'no node says where its blocks begin'}`)
    );
  }
  const wished = /^\d{1,15}$/.test(height) ? Number(height) : Number.NaN;
  if (!Number.isSafeInteger(wished)) throw usage(`HEIGHT must be a whole number, not ${JSON.stringify(height)}`);
  if (wished <= served.startHeight)
    return refuse(`what is served begins at block ${whole(served.startHeight)} already`);
  if (wished > served.height)
    return refuse(`the newest block is ${whole(served.height)}: a cut above it would leave none`);
  if (oldest !== null && wished < oldest)
    return refuse(`its nodes serve blocks from ${whole(oldest)} on, not from there`);
  return wished;
}

const whole = (value: number): string => value.toLocaleString('en-US');

function bytes(value: number | null): string {
  if (value === null) return 'unknown';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [size, unit] = [value, 0];
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

function chainText(plan: PlannedChain): string {
  const { chain, served, steps, migrations, notes } = plan;
  if (served === null) {
    return [
      `${chain}: nothing is served yet; a start reads and builds everything`,
      ...notes.map((note) => `  ${note}`),
    ].join('\n');
  }
  const tables = served.generation === null ? 'without tables' : `generation ${served.generation}`;
  const lines = [
    `${chain}: ${version(served)} (${tables}) is served, blocks ${whole(served.startHeight)} to ${whole(served.height)}`,
  ];
  if (steps.length === 0) lines.push('  nothing is rebuilt');
  for (const [index, step] of steps.entries()) lines.push(...stepLines(step, index + 1));
  if (plan.nodes !== null) lines.push(...cutLines(plan));
  if (migrations.length > 0) lines.push(`  schema: a start applies ${migrations.join(', ')} to the served tables`);
  return [...lines, ...notes.map((note) => `  ${note}`)].join('\n');
}

const version = ({ epoch, foldVersion }: { epoch: number; foldVersion: number }): string => `e${epoch}.f${foldVersion}`;

function stepLines(step: PlanStep, number: number): string[] {
  const { from, to, topic } = step;
  const left =
    step.groupsLeft === step.groups
      ? `${whole(step.groups)} groups`
      : `${whole(step.groupsLeft)} of ${whole(step.groups)} groups are left`;
  const source = topic === null ? 'read again from the nodes' : `folded from ${topic}`;
  return [
    `  ${number}. ${step.reason}`,
    `     from    ${version(from)} to ${version(to)}, generation ${to.generation}, ${source}`,
    `     blocks  ${whole(step.startHeight)} to ${whole(step.endHeight)}, ${left}`,
    `     time    ${step.seconds === null ? 'unknown' : `about ${duration(step.seconds)}`} (${step.timeFrom.words})`,
    `     bytes   log ${bytes(step.bytes.log)}, tables ${bytes(step.bytes.tables)}, state ${bytes(step.bytes.state)}`,
    `     tables  ${step.tables.join(', ')}`,
    ...(step.newTables.length === 0 ? [] : [`     new     ${step.newTables.join(', ')}`]),
    step.staysFresh
      ? '     new blocks are served meanwhile'
      : '     tables and quotes stay at the block of the upgrade meanwhile',
  ];
}

function cutLines({ chain, served, steps, nodes }: PlannedChain): string[] {
  const accepted = steps.find(({ kind }) => kind === 'epoch')?.acceptedCut ?? null;
  if (accepted !== null) return [`  cut: history may begin at block ${whole(accepted)}, as was accepted`];
  if (nodes?.oldest == null) return [`  cut: unknown (${nodes?.problem})`];
  if (nodes.cut === null) return ['  cut: none is needed, the nodes serve all these blocks'];
  return [
    `  cut: the nodes serve blocks from ${whole(nodes.oldest)} on, what is served begins at ${whole(served!.startHeight)}:`,
    `       put an archive node into the configuration, or tidepool upgrade --accept-cut ${chain} ${nodes.cut}`,
  ];
}
