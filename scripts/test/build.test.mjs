// The build mirrors the sources: what changed is built, what is gone is removed, what does not compile fails loudly.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from '../build.mjs';

const project = join(dirname(fileURLToPath(import.meta.url)), '../..');

describe('build', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-build-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const put = (file, text) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const output = (file) => readFileSync(join(root, 'dist', file), 'utf8');
  for (const file of ['.swcrc', 'package.json']) put(file, readFileSync(join(project, file), 'utf8'));
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));

  it('transpiles sources, copies the rest and leaves specs out', async () => {
    put('libs/a/x.ts', `import { y } from './y.js';\nexport const x: number = y;\n`);
    put('libs/a/y.ts', 'export const y = 1;\n');
    put('libs/a/x.spec.ts', 'it("is", () => {});\n');
    put('libs/a/migrations/0001_first.sql', 'SELECT 1;\n');
    const result = await build({ root });
    assert.equal(result.built, 3);
    assert.match(output('libs/a/x.js'), /import \{ y \} from '\.\/y\.js'|import \{ y \} from "\.\/y\.js"/);
    assert.equal(output('libs/a/migrations/0001_first.sql'), 'SELECT 1;\n');
    assert.ok(!existsSync(join(root, 'dist/libs/a/x.spec.js')));
  });

  it('builds nothing when nothing changed, and only what changed otherwise', async () => {
    assert.equal((await build({ root })).built, 0);
    put('libs/a/y.ts', 'export const y = 22;\n');
    utimesSync(join(root, 'libs/a/y.ts'), new Date(), new Date(Date.now() + 2_000));
    assert.equal((await build({ root })).built, 1);
    assert.match(output('libs/a/y.js'), /22/);
  });

  it('rebuilds an output that is missing and removes one whose source is gone', async () => {
    rmSync(join(root, 'dist/libs/a/y.js'));
    assert.equal((await build({ root })).built, 1);
    rmSync(join(root, 'libs/a/y.ts'));
    assert.equal((await build({ root })).removed, 1);
    assert.ok(!existsSync(join(root, 'dist/libs/a/y.js')));
  });

  it('names the file that does not compile, and fails again as long as it does not', async () => {
    put('libs/a/bad.ts', 'export const = ;\n');
    await assert.rejects(build({ root }), /libs\/a\/bad\.ts/);
    await assert.rejects(build({ root }), /libs\/a\/bad\.ts/);
    rmSync(join(root, 'libs/a/bad.ts'));
    await build({ root });
  });

  it('bundles programs: each sees its place, shares one copy with others and is built again when a module of it changed', async () => {
    put('libs/a/text.txt', 'read');
    put(
      'libs/a/near.ts',
      `import { readFileSync } from 'node:fs';
export const near = readFileSync(new URL('./text.txt', import.meta.url), 'utf8');
export class Named {}
export const state = { uses: 0 };
`,
    );
    put(
      'libs/a/deep/other-main.ts',
      `import { state } from '../near.js';
export const other = ++state.uses;
`,
    );
    put(
      'apps/one/src/main.ts',
      `import { Named, near, state } from '../../../libs/a/near.js';
const { other } = await import('../../../libs/a/deep/other-main.js');
export const thread = new URL('./two-main.js', import.meta.url).href;
export const seen = [near, Named.name, state.uses, other];
`,
    );
    put('apps/one/src/two-main.ts', 'export const two = 1;\n');
    const load = (time) => import(`${pathToFileURL(join(root, 'dist/apps/one/src/main.js'))}?${time}`);
    assert.equal((await build({ root })).programs, true);
    const first = await load(1);
    assert.deepEqual(first.seen, ['read', 'Named', 1, 1]);
    assert.match(first.thread, /dist\/bundle\/apps-one-src-two-main\.js$/);
    assert.equal((await import(first.thread)).two, 1);
    assert.equal((await build({ root })).programs, false);
    put('libs/a/unused.ts', 'export const unused = 1;\n');
    assert.equal((await build({ root })).programs, false);
    put('apps/one/src/two-main.ts', 'export const two = 22;\n');
    assert.equal((await build({ root })).programs, true);
    assert.match(output('bundle/apps-one-src-two-main.js'), /22/);
    rmSync(join(root, 'dist/apps/one/src/main.js'));
    assert.equal((await build({ root })).programs, true);
    put('apps/one/src/main.ts', `export const seen = import.meta.dirname;\n`);
    await assert.rejects(build({ root }), /only import\.meta\.url/);
    // What could not be bundled is tried again, though its module was written.
    await assert.rejects(build({ root }), /only import\.meta\.url/);
    rmSync(join(root, 'apps/one/src/two-main.ts'));
    await assert.rejects(build({ root }), /only import\.meta\.url/);
    rmSync(join(root, 'apps/one'), { recursive: true });
    assert.equal((await build({ root })).programs, true);
    assert.ok(!existsSync(join(root, 'dist/bundle/apps-one-src-main.js')));
    assert.ok(!existsSync(join(root, 'dist/apps/one/src/main.js')));
  });

  it('bundles the console where there is one, and again only when something in it changed', async () => {
    assert.equal((await build({ root })).bundled, false);
    put('apps/console/index.html', '<!doctype html><script type="module" src="./src/main.ts"></script>');
    put('apps/console/src/main.ts', `import { y } from '#libs/a/y.js';\ndocument.title = String(y);\n`);
    put('libs/a/y.ts', 'export const y: number = 31;\n');
    for (const file of ['apps/console/vite.config.mjs', 'tsconfig.json']) {
      put(file, readFileSync(join(project, file), 'utf8'));
    }
    assert.equal((await build({ root })).bundled, true);
    const script = /\/assets\/[\w.-]+\.js/.exec(output('console/index.html'))[0];
    assert.match(output(`console${script}`), /31/);
    assert.ok(!existsSync(join(root, 'dist/apps/console')));
    assert.equal((await build({ root })).bundled, false);
    put('apps/console/src/main.spec.ts', 'it("is", () => {});\n');
    assert.equal((await build({ root })).bundled, false);
    put('apps/console/src/main.ts', 'document.title = "32";\n');
    assert.equal((await build({ root })).bundled, true);
    const next = /\/assets\/[\w.-]+\.js/.exec(output('console/index.html'))[0];
    assert.notEqual(next, script);
    assert.ok(!existsSync(join(root, `dist/console${script}`)));
  });
});
