import { answer, JSON_OPTION } from '../answer.js';
import type { Command } from '../command.js';
import { table } from '../text-table.js';

const ID = { name: 'ID', required: true, about: 'the account' } as const;

interface AccountSummary {
  entry: { id: string; name: string; plan: string | null; closed: boolean };
  account: { rate: number; credits: number | null; granted: number } | null;
  spent: { included: number; extra: number };
  creditsLeft: number | null;
}

const rateText = (rate: number): string => (rate === 0 ? 'no limit' : `${rate}/s`);
const creditsText = (credits: number | null): string => (credits === null ? 'no limit' : String(credits));

const summaryRow = ({ entry, account, spent, creditsLeft }: AccountSummary): string[] => [
  entry.id,
  entry.plan ?? '-',
  account === null ? 'closed' : rateText(account.rate),
  account === null ? '-' : creditsText(account.credits),
  String(account?.granted ?? 0),
  String(spent.included + spent.extra),
  creditsText(creditsLeft),
  entry.name,
];
const SUMMARY = ['id', 'plan', 'rate', 'a month', 'granted', 'spent', 'left', 'name'];

export const accountCommands: readonly Command[] = [
  {
    name: 'accounts ls',
    summary: 'accounts, their plans and what is left of their credits',
    positionals: [],
    options: [JSON_OPTION],
    run: (context) =>
      answer<{ accounts: AccountSummary[] }>(context, 'accounts.ls', {}, ({ accounts }) =>
        table(SUMMARY, accounts.map(summaryRow)),
      ),
  },
  {
    name: 'accounts create',
    summary: 'make an account; keys create gives it a key',
    positionals: [ID],
    options: [
      { name: 'name', value: 'TEXT', about: 'for people' },
      { name: 'plan', value: 'PLAN', about: 'tidepool plans ls lists them; none: 10 requests a second' },
      { name: 'rate', value: 'N', about: 'requests a second in place of the plan’s; 0: no limit' },
      JSON_OPTION,
    ],
    run: (context) => {
      const { positionals, options } = context.args;
      const given = { id: positionals[0], name: options.name, plan: options.plan, rate: options.rate };
      return answer<{ id: string }>(context, 'accounts.create', given, ({ id }) => `account ${id} is there`);
    },
  },
  {
    name: 'accounts plan',
    summary: 'give an account another plan, at once',
    positionals: [ID, { name: 'PLAN', required: false, about: 'the plan, or none' }],
    options: [
      { name: 'rate', value: 'N', about: 'requests a second in place of the plan’s; 0: no limit; plan: the plan’s' },
      JSON_OPTION,
    ],
    run: (context) => {
      const [id, plan] = context.args.positionals;
      const given = { id, plan, rate: context.args.options.rate };
      return answer<{ plan: string | null }>(context, 'accounts.plan', given, (entry) =>
        entry.plan === null ? `account ${id} has no plan` : `account ${id} has the plan ${entry.plan}`,
      );
    },
  },
  {
    name: 'accounts grant',
    summary: 'add credits to an account, at once',
    positionals: [ID, { name: 'CREDITS', required: true, about: 'how many' }],
    options: [{ name: 'reason', value: 'TEXT', about: 'kept with the grant' }, JSON_OPTION],
    run: (context) => {
      const [id, credits] = context.args.positionals;
      const given = { id, credits, reason: context.args.options.reason };
      return answer<{ creditsLeft: number | null }>(context, 'accounts.grant', given, ({ creditsLeft }) =>
        creditsLeft === null
          ? `${credits} credits were added; the plan of ${id} has no limit`
          : `${credits} credits were added; ${id} has ${creditsLeft}`,
      );
    },
  },
  {
    name: 'accounts usage',
    summary: 'what an account did and spent, by day, key and route',
    positionals: [ID],
    options: [{ name: 'days', value: 'N', about: 'so many days back, today included; 30 without it' }, JSON_OPTION],
    run: (context) => {
      const given = { id: context.args.positionals[0], days: context.args.options.days };
      interface Row {
        day: string;
        key: string;
        route: string;
        requests: number;
        credits: number;
        refused: number;
      }
      return answer<AccountSummary & { rows: Row[] }>(context, 'accounts.usage', given, (got) => {
        const rows = got.rows.map(({ day, key, route, requests, credits, refused }) => [
          ...[day, key, route, String(requests), String(credits), String(refused)],
        ]);
        const counts = table(['day', 'key', 'route', 'requests', 'credits', 'refused'], rows);
        return `${table(SUMMARY, [summaryRow(got)])}\n\n${counts}`;
      });
    },
  },
  {
    name: 'accounts close',
    summary: 'refuse every key of an account',
    positionals: [ID],
    options: [{ name: 'reopen', about: 'accept them again' }, JSON_OPTION],
    run: (context) => {
      const [id] = context.args.positionals;
      const reopen = context.args.options.reopen === true;
      return answer(context, reopen ? 'accounts.open' : 'accounts.close', { id }, () =>
        reopen ? `account ${id} is open` : `account ${id} is closed`,
      );
    },
  },
  {
    name: 'plans ls',
    summary: 'plans: requests a second, credits a month',
    positionals: [],
    options: [JSON_OPTION],
    run: (context) =>
      answer<{ plans: { name: string; rate: number; credits: number | null }[] }>(
        context,
        'plans.ls',
        {},
        ({ plans }) =>
          table(
            ['plan', 'rate', 'credits a month'],
            plans.map(({ name, rate, credits }) => [name, rateText(rate), creditsText(credits)]),
          ),
      ),
  },
  {
    name: 'plans set',
    summary: 'make or change a plan, at once for all its accounts',
    positionals: [{ name: 'NAME', required: true, about: 'the plan' }],
    options: [
      { name: 'rate', value: 'N', about: 'requests a second; 0: no limit' },
      {
        name: 'credits',
        value: 'N',
        about: 'credits in each calendar month; unlimited, also without it: none are counted',
      },
      JSON_OPTION,
    ],
    run: (context) => {
      const { positionals, options } = context.args;
      const given = { name: positionals[0], rate: options.rate, credits: options.credits };
      return answer(context, 'plans.set', given, () => `plan ${positionals[0]} is set`);
    },
  },
];
