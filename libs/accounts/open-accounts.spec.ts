import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey, openAccounts } from './open-accounts.js';
import { openCursorKey } from './secret-file.js';

describe('openAccounts', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidepool-accounts-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('makes one demo key with the Enterprise plan, once, in a file only its owner can read', async () => {
    const first = await openAccounts({ dataDir });
    const second = await openAccounts({ dataDir });
    expect(second.demo).toEqual(first.demo);
    expect((await readFile(first.demo.file, 'utf8')).trim()).toBe(first.demo.key);
    expect((await stat(first.demo.file)).mode & 0o777).toBe(0o600);
    expect(second.authenticate(first.demo.key)).toEqual({ id: 'demo', name: 'Demo', plan: 'Enterprise' });
  });

  it('knows no other key', async () => {
    const accounts = await openAccounts({ dataDir });
    const { key } = accounts.demo;
    for (const wrong of [
      '',
      ' ',
      key.slice(1),
      `${key} `,
      key.toUpperCase(),
      hashKey(key),
      '__proto__',
      'constructor',
    ]) {
      expect(accounts.authenticate(wrong)).toBeNull();
    }
  });

  it('stores the key only as a hash', async () => {
    const { demo } = await openAccounts({ dataDir });
    const folder = join(dataDir, 'accounts', 'keys');
    const names = await readdir(folder);
    expect(names).toEqual([`${hashKey(demo.key)}.json`]);
    for (const name of names) expect(await readFile(join(folder, name), 'utf8')).not.toContain(demo.key);
  });

  it('gives processes that start together the same key', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => openAccounts({ dataDir })));
    expect(new Set(all.map((accounts) => accounts.demo.key)).size).toBe(1);
    for (const accounts of all) expect(accounts.authenticate(all[0]!.demo.key)).not.toBeNull();
    expect((await readdir(dataDir)).sort()).toEqual(['accounts', 'demo-key']);
  });

  it('retires the demo key when its file is deleted', async () => {
    const before = await openAccounts({ dataDir });
    await unlink(before.demo.file);
    const after = await openAccounts({ dataDir });
    expect(after.demo.key).not.toBe(before.demo.key);
    expect(after.authenticate(before.demo.key)).toBeNull();
    expect((await openAccounts({ dataDir })).authenticate(before.demo.key)).toBeNull();
  });

  it('says which file is broken', async () => {
    await openAccounts({ dataDir });
    const broken = join(dataDir, 'accounts', 'keys', `${'0'.repeat(64)}.json`);
    await writeFile(broken, '{"version":1}');
    await expect(openAccounts({ dataDir })).rejects.toThrow(broken);
    await unlink(broken);
    await writeFile(join(dataDir, 'demo-key'), '\n');
    await expect(openAccounts({ dataDir })).rejects.toThrow('demo-key is empty');
  });

  it('keeps the cursor key over restarts', async () => {
    const first = await openCursorKey(dataDir);
    expect(first).toHaveLength(32);
    expect(await openCursorKey(dataDir)).toEqual(first);
    await writeFile(join(dataDir, 'cursor-key'), 'abc');
    await expect(openCursorKey(dataDir)).rejects.toThrow('is not a key');
  });
});
