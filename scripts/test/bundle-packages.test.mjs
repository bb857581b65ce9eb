// What specs import of a bundled package is what Node imports of it: the same names, and one copy of what packages share.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledPackages, bundlePackages } from '../lib/bundle-packages.mjs';

const project = join(dirname(fileURLToPath(import.meta.url)), '../..');

describe('bundled packages', () => {
  before(() => bundlePackages(project));
  const bundled = (id) => {
    const [, file] = Object.entries(bundledPackages(project)).find(([match]) => new RegExp(match).test(id));
    return import(pathToFileURL(file));
  };

  for (const id of ['viem', 'viem/accounts', 'rxjs', '@nestjs/common', '@nestjs/core', 'class-validator', 'undici'])
    it(`${id} has its names`, async () => {
      const names = (module) => Object.keys(module).filter((name) => name !== 'module.exports');
      assert.deepEqual(names(await bundled(id)).sort(), names(await import(id)).sort());
    });

  it('share one copy: a module of one is known to the other', async () => {
    const [{ Injectable, Module }, { NestFactory }] = await Promise.all(
      ['@nestjs/common', '@nestjs/core'].map(bundled),
    );
    class Given {}
    Injectable()(Given);
    class Root {}
    Module({ providers: [Given] })(Root);
    const context = await NestFactory.createApplicationContext(Root, { logger: false });
    assert.ok(context.get(Given) instanceof Given);
    await context.close();
  });
});
