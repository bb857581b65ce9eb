import { EXIT } from '#libs/platform/exit-code.js';
import type { DeadLetter } from '#libs/protocol/dead-letter.js';
import { answer, JSON_OPTION } from '../answer.js';
import type { Command } from '../command.js';
import { table } from '../text-table.js';

const dlqList: Command = {
  name: 'dlq ls',
  summary: 'input that could not be decoded',
  positionals: [],
  options: [{ name: 'all', about: 'the resolved ones too' }, JSON_OPTION],
  run: (context) =>
    answer<{ letters: DeadLetter[] }>(context, 'dlq.ls', { all: context.args.options.all }, ({ letters }) => {
      if (letters.length === 0) return 'no dead letters';
      const rows = letters.map((letter) => [
        letter.id,
        letter.stage,
        letter.topic === null ? '-' : `${letter.topic}@${letter.seq}`,
        new Date(letter.at).toISOString(),
        letter.resolvedAt === null ? 'open' : 'resolved',
        letter.reason,
      ]);
      return table(['id', 'stage', 'where', 'since', 'state', 'reason'], rows);
    }),
};

const dlqReplay: Command = {
  name: 'dlq replay',
  summary: 'try dead letters again with this version’s decoders',
  about: 'What decodes now is closed, and the stage that stopped at it goes on. Exit code 1 when a letter stays open.',
  positionals: [{ name: 'ID', required: false, about: 'one letter; all open ones without it' }],
  options: [],
  async run({ args, stdout, stderr, execute }) {
    const answer = (await execute('dlq.replay', { id: args.positionals[0] })) as {
      outcomes: { id: string; stage: string; outcome: string; reason: string | null }[];
      restarted: string[];
    };
    if (answer.outcomes.length === 0) {
      const id = args.positionals[0];
      stderr.write(id === undefined ? 'no dead letters\n' : `no open dead letter ${id}; tidepool dlq ls lists them\n`);
      return id === undefined ? EXIT.ok : EXIT.failure;
    }
    for (const { id, outcome, reason } of answer.outcomes)
      stdout.write(`${id}: ${outcome}${reason === null ? '' : ` (${reason})`}\n`);
    for (const stage of answer.restarted) stdout.write(`stage ${stage} goes on\n`);
    return answer.outcomes.every(({ outcome }) => outcome === 'replayed') ? EXIT.ok : EXIT.failure;
  },
};

export const dlqCommands = [dlqList, dlqReplay] as const;
