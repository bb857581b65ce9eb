// What the lock file names decides whether npm installs, and a linked node_modules is never given to npm: it would be emptied.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { installIfNeeded, needsInstall } from '../lib/prepare.mjs';

let project;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'tidepool-prepare-'));
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

const asLock = (packages) =>
  JSON.stringify({ packages: Object.fromEntries(packages.map(([name, rest]) => [`node_modules/${name}`, rest])) });

/** A project whose lock is newer than its installed packages. */
function projectWith(locked, installed, modules = join(project, 'node_modules')) {
  mkdirSync(modules, { recursive: true });
  writeFileSync(join(modules, '.package-lock.json'), asLock(installed));
  utimesSync(join(modules, '.package-lock.json'), 1, 1);
  const lock = JSON.parse(asLock(locked));
  writeFileSync(
    join(project, 'package-lock.json'),
    JSON.stringify({ packages: { '': { version: '0.1.0' }, ...lock.packages } }),
  );
}

describe('needs an installation', () => {
  it('where a package is missing or has another version', () => {
    projectWith([['a', { version: '1.0.0' }]], []);
    assert.equal(needsInstall(project), true);
    projectWith([['a', { version: '1.0.1' }]], [['a', { version: '1.0.0' }]]);
    assert.equal(needsInstall(project), true);
  });

  it('where nothing is installed', () => {
    writeFileSync(join(project, 'package-lock.json'), asLock([]));
    assert.equal(needsInstall(project), true);
  });

  it('not where all is there, more than that, or all but the packages of other platforms', () => {
    const locked = [
      ['a', { version: '1.0.0' }],
      ['a-other-platform', { version: '1.0.0', optional: true }],
    ];
    projectWith(locked, [
      ['a', { version: '1.0.0' }],
      ['left-over', { version: '1.0.0' }],
    ]);
    assert.equal(needsInstall(project), false);
  });
});

describe('a linked node_modules', () => {
  let linked;

  beforeEach(() => {
    linked = join(project, 'elsewhere');
    mkdirSync(linked);
    symlinkSync(linked, join(project, 'node_modules'));
  });

  it('is left as it is, and the person is told where to install', async () => {
    projectWith([['a', { version: '1.0.0' }]], [], linked);
    const quiet = () => undefined;
    await assert.rejects(installIfNeeded(quiet, project), /node_modules is a link to .*elsewhere.*run npm ci there/);
    assert.deepEqual(readdirSync(linked), ['.package-lock.json']);
  });

  it('needs nothing where all is there', async () => {
    projectWith([['a', { version: '1.0.0' }]], [['a', { version: '1.0.0' }]], linked);
    assert.equal(await installIfNeeded(undefined, project), false);
  });
});
