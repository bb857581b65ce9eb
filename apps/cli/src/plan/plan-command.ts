import { EXIT } from '#libs/platform/exit-code.js';
import { JSON_OPTION } from '../answer.js';
import type { Command } from '../command.js';
import { planFlags } from './plan-flags.js';

export const planCommand: Command = {
  name: 'plan',
  summary: 'measure a node: what its history takes in requests, time, disk, memory and money, and what it lacks',
  about:
    'Asks the node for about a minute, as an index would, and speaks to no instance. Each way of reading the history is tried on parts\n' +
    'from all over it; the whole is worked out from these. --price says what a provider asks for, in USD:\n' +
    '  --price requests=0.50        a million calls, each call of a list counted\n' +
    '  --price units=0.45           a million compute units; --units says how many a method takes\n' +
    '  --price gb=0.10,month=49     a gigabyte of answers, and each month that it takes\n' +
    'Exit code 0 when some way works, 1 when none does or the node cannot be asked.',
  positionals: [],
  options: [...planFlags, JSON_OPTION],
  async run({ args, stdout, stderr, signal }) {
    // What it needs of chains and venues is loaded for it alone.
    const { readPlanRequest } = await import('./plan-options.js');
    const request = readPlanRequest(args.options);
    const { makePlan } = await import('./make-plan.js');
    const { planText } = await import('./plan-text.js');
    const plan = await makePlan(request, signal, (step) => void stderr.write(`${step}\n`));
    stdout.write(args.options.json ? `${JSON.stringify(plan, null, 2)}\n` : planText(plan));
    return plan.best === null ? EXIT.failure : EXIT.ok;
  },
};
