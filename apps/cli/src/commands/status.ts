import type { TopicState } from '#libs/pipeline/event-log/log.js';
import { duration } from '#libs/platform/duration.js';
import { EXIT } from '#libs/platform/exit-code.js';
import type { SupervisedStatus } from '#libs/platform/supervisor.js';
import { JSON_OPTION } from '../answer.js';
import type { Command } from '../command.js';
import { table } from '../text-table.js';
import { topicTable } from './topics.js';

interface StatusAnswer {
  running: boolean;
  topics: TopicState[];
  app?: string;
  version?: string;
  pid?: number;
  uptimeSeconds?: number;
  dataDir?: string;
  ready?: boolean;
  reasons?: string[];
  held?: string | null;
  stages?: SupervisedStatus[];
  chains?: unknown[];
}

export const statusCommand: Command = {
  name: 'status',
  summary: 'what runs, how far each stage is, what is in the log',
  about: 'Exit code 0 when an instance runs and is ready, 1 otherwise.',
  positionals: [],
  options: [JSON_OPTION],
  async run({ args, stdout, execute }) {
    const answer = (await execute('status', {})) as StatusAnswer;
    stdout.write(args.options.json ? `${JSON.stringify(answer, null, 2)}\n` : text(answer));
    return answer.running && answer.ready === true ? EXIT.ok : EXIT.failure;
  },
};

function text(answer: StatusAnswer): string {
  const lines: string[] = [];
  if (!answer.running) lines.push('no instance runs on this data folder (npm start starts one)');
  else {
    lines.push(
      `Tidepool ${answer.version} (${answer.app}, process ${answer.pid}) runs since ${duration(answer.uptimeSeconds ?? 0)} on ${answer.dataDir}`,
      answer.ready ? 'ready' : 'not ready:',
      ...(answer.reasons ?? []).map((reason) => `  ${reason}`),
    );
    if (answer.held) lines.push(`stages are held: ${answer.held}`);
    for (const chain of answer.chains ?? []) lines.push(`chain ${flat(chain)}`);
    const stages = answer.stages ?? [];
    if (stages.length > 0) {
      const rows = stages.map(({ name, state, restarts, error }) => [
        name,
        state,
        String(restarts),
        error === null ? '' : `${error.code}: ${error.message.split('\n')[0]}`,
      ]);
      lines.push('', table(['stage', 'state', 'restarts', 'last error'], rows));
    }
  }
  lines.push('', topicTable(answer.topics));
  return `${lines.join('\n')}\n`;
}

/** One level of an object as `name=value`; what is deeper stays JSON. */
function flat(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, entry]) => `${name}=${typeof entry === 'object' ? JSON.stringify(entry) : String(entry)}`)
    .join(' ');
}
