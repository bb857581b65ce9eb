import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationDocument } from './configuration-document.js';
import { programVersion, projectFolder } from './program-version.js';
import { testVariables, variables } from './variables.js';

const committed = (): string => readFileSync(join(projectFolder(), 'docs/configuration.md'), 'utf8');

it('give docs/configuration.md as it is committed (npm run documents writes it)', () => {
  expect(committed()).toBe(configurationDocument());
});

it('are all in docs/configuration.md, cell for cell, and no others', () => {
  const rows = committed()
    .split('\n')
    .filter((line) => /^\| `(TIDEPOOL_|CLICKHOUSE_)/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const declared = [...variables, ...testVariables.variables];
  expect(rows).toEqual(declared.map((v) => [`\`${v.name}\``, v.fallback, v.rule, v.about]));
});

it('have names that are used once', () => {
  expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length);
});

it('the program knows its own version', () => {
  expect(programVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
