import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programVersion, projectFolder } from './program-version.js';
import { variables } from './variables.js';

it('are all in the README, cell for cell, and no others', () => {
  const readme = readFileSync(join(projectFolder(), 'README.md'), 'utf8');
  const rows = readme
    .split('\n')
    .filter((line) => /^\| `(TIDEPOOL_|CLICKHOUSE_)/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(variables.map((v) => [`\`${v.name}\``, v.fallback, v.rule, v.about]));
});

it('have names that are used once', () => {
  expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length);
});

it('the program knows its own version', () => {
  expect(programVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
