import { testVariables, type Variable, type VariableGroup, variableGroups } from './variables.js';

const COLUMNS = ['variable', 'default', 'must be', 'what for'];

const INTRODUCTION = `# Configuration

<!-- Generated from libs/platform/variables.ts by \`npm run documents\`; a spec compares the two. -->

Everything has a default. Settings are environment variables, or lines \`NAME=value\` of a file \`.env\` in the folder that the
program starts in; the environment wins. A value that cannot be used stops the start with the variable's name and its rule; a
misspelt \`TIDEPOOL_…\` name is warned about. \`npm start -- --help\` prints the same list. \`<CHAIN>\` is the name of a chain in
upper case: \`TIDEPOOL_RPC_ETH\`.

Listeners bind loopback. To reach them from elsewhere set \`TIDEPOOL_BIND\`, and put a proxy with TLS in front. Keys, and
credentials in URLs, never appear in a log line.
`;

/** The text of docs/configuration.md: one table for each group of variables. */
export function configurationDocument(): string {
  return [INTRODUCTION, ...[...variableGroups, testVariables].map(section)].join('\n');
}

function section({ title, variables }: VariableGroup): string {
  const rows = [COLUMNS, ...variables.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [`## ${title}`, '', line(COLUMNS), rule, ...rows.slice(1).map(line), ''].join('\n');
}

const cells = ({ name, fallback, rule, about }: Variable): string[] => [`\`${name}\``, fallback, rule, about];
