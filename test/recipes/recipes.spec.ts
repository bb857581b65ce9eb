import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { additions } from './additions.js';
import { filledIn, recipeFiles } from './recipe.js';
import { TreeCopy } from './tree-copy.js';

/**
 * Each recipe of docs/recipes is followed on a copy of the tree with a toy addition. Invariant: the toy touches the files that
 * the recipe names and no other, one line in each that existed; the copy then passes types, boundaries, circles and names,
 * the toy's own specs and its registry's suites, and with a new chain every quick spec that depends on the list of chains.
 */
const PROJECT = process.cwd();
/** As `npm test` leaves out the long runs. */
const QUICK = '--testNamePattern=^(?!.*\\(long\\))';
const FIXTURES = join(PROJECT, 'test/recipes/fixtures');

const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort()
    : [];

describe('recipes (long)', () => {
  let tree: TreeCopy;

  beforeAll(async () => {
    tree = await TreeCopy.of(PROJECT);
  }, 120_000);

  afterAll(() => tree.remove());

  it('every recipe has an addition that follows it', () => {
    const recipes = readdirSync(join(PROJECT, 'docs/recipes')).filter((file) => file !== 'README.md');
    const followed = new Set(additions.map(({ recipe }) => recipe));
    expect(recipes.map((file) => file.replace(/\.md$/, '')).sort()).toEqual([...followed].sort());
  });

  describe.each(additions.map((addition) => [addition.fixtures ?? addition.recipe, addition] as const))(
    '%s',
    (folder, addition) => {
      const files = filledIn(recipeFiles(PROJECT, addition.recipe), addition.names);
      const named = (role: string): string[] => files.filter((file) => file.role === role).map(({ path }) => path);
      const fixtures = filesBelow(join(FIXTURES, folder));
      const placed = (fixture: string): string => fixture.replace('NNNN', addition.names.number ?? 'NNNN');
      const created = fixtures.map(placed);
      const lined = addition.lines.map(({ file }) => file);

      it('touches the files that the recipe names, and no other', () => {
        const needed = files.filter(({ optional, role }) => !optional && role !== 'generated').map(({ path }) => path);
        expect([...created, ...lined]).toEqual(expect.arrayContaining(needed));
        expect(named('new')).toEqual(expect.arrayContaining(created));
        expect(named('one line')).toEqual(expect.arrayContaining(lined));
        expect(new Set(lined).size).toBe(lined.length);
      });

      it('is added to the copy', async () => {
        for (const file of fixtures) tree.create(placed(file), readFileSync(join(FIXTURES, folder, file), 'utf8'));
        for (const line of addition.lines) tree.addLine(line);
        for (const command of addition.generate ?? []) await tree.node(...command);
        expect(created.length + lined.length).toBeGreaterThan(1);
      }, 120_000);

      const { dependents } = addition;
      if (dependents === undefined) return;

      it('passes the quick specs that depend on its registry', async () => {
        const specs = await dependents(tree);
        const output = await tree.jest('--maxWorkers=2', '--forceExit', QUICK, '--runTestsByPath', ...specs);
        const passed = specs.filter((spec) => output.includes(`PASS ${spec}`));
        expect(passed.length).toBeGreaterThan(20);
      }, 600_000);
    },
  );

  describe('the tree with every addition', () => {
    it('has its types right', async () => {
      expect(await tree.node('node_modules/.bin/tsc', '--noEmit', '-p', '.')).toBe('');
    }, 300_000);

    it('keeps its boundaries, has no circle, and names chains and venues where they belong', async () => {
      for (const script of ['imports', 'names']) await tree.node(`scripts/${script}.mjs`);
    }, 120_000);

    it('passes the suites of its registries', async () => {
      const specs = additions.flatMap(({ specs }) => specs);
      const output = await tree.jest('--maxWorkers=1', '--forceExit', ...specs);
      for (const spec of specs) expect(output).toContain(`PASS ${spec}`);
    }, 300_000);
  });
});
