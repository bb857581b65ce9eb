import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey } from './key-text.js';
import { openAccounts as open } from './open-accounts.js';
import { olderCursorKey } from './secret-file.js';

const openAccounts = async (dataDir: string) => {
  const { admission, close } = await open({ dataDir });
  close();
  return admission;
};

describe('openAccounts', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidepool-accounts-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('makes one demo key with the Enterprise plan, once, in a file only its owner can read', async () => {
    const first = await openAccounts(dataDir);
    const second = await openAccounts(dataDir);
    expect(second.demo).toEqual(first.demo);
    expect((await readFile(first.demo.file!, 'utf8')).trim()).toBe(first.demo.key);
    expect((await stat(first.demo.file!)).mode & 0o777).toBe(0o600);
    const { account, key } = second.authenticate(first.demo.key)!;
    expect(account).toEqual({
      ...{ id: 'demo', name: 'Demo', plan: 'Enterprise', rate: 100, credits: null, granted: 0 },
    });
    expect([...key.scopes].sort()).toEqual(['data', 'gateway', 'launch', 'router']);
  });

  it('knows no other key', async () => {
    const accounts = await openAccounts(dataDir);
    const { key } = accounts.demo;
    const wrong = ['', ' ', key.slice(1), `${key} `, key.toUpperCase(), hashKey(key), '__proto__', 'constructor'];
    for (const other of wrong) expect(accounts.authenticate(other)).toBeNull();
  });

  it('gives processes that start together the same key, in one file', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => openAccounts(dataDir)));
    expect(new Set(all.map((accounts) => accounts.demo.key)).size).toBe(1);
    for (const accounts of all) expect(accounts.authenticate(all[0]!.demo.key)).not.toBeNull();
    expect(await readdir(dataDir)).toEqual(['demo-key']);
  });

  it('gives processes with folders of their own the demo key of the configuration, in no file', async () => {
    const demoKey = 'the-same-for-api-and-router';
    for (const name of ['api', 'router']) {
      const folder = join(dataDir, name);
      const { admission, close } = await open({ dataDir: folder, demoKey });
      close();
      expect(admission.demo).toEqual({ key: demoKey, file: null });
      expect(admission.authenticate(demoKey)).toMatchObject({ account: { id: 'demo', plan: 'Enterprise' } });
      await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });

  it('retires the demo key when its file is deleted', async () => {
    const before = await openAccounts(dataDir);
    await unlink(before.demo.file!);
    const after = await openAccounts(dataDir);
    expect(after.demo.key).not.toBe(before.demo.key);
    expect(after.authenticate(before.demo.key)).toBeNull();
    expect((await openAccounts(dataDir)).authenticate(before.demo.key)).toBeNull();
  });

  it('is alone with its log after a kill: the one before it takes no share of the rate', async () => {
    const burst = async (alone: boolean) => {
      const now = Date.now();
      const { admission, ledger, close } = await open({ dataDir, alone, now: () => now });
      close();
      ledger.take({ kind: 'instance', instance: 'killed', at: now });
      const caller = admission.authenticate(admission.demo.key)!;
      const ask = () => admission.admit(caller, { route: 'route', credits: 0 });
      return Array.from({ length: 300 }, ask).filter((answer) => !('refused' in answer)).length;
    };
    expect([await burst(true), await burst(false)]).toEqual([200, 100]);
  });

  it('says which file is broken', async () => {
    await writeFile(join(dataDir, 'demo-key'), '\n');
    await expect(openAccounts(dataDir)).rejects.toThrow('demo-key is empty');
  });

  it('knows the cursor key of an older folder', async () => {
    expect(await olderCursorKey(dataDir)).toBeNull();
    await writeFile(join(dataDir, 'cursor-key'), `${'ab'.repeat(32)}\n`);
    expect(await olderCursorKey(dataDir)).toBe('ab'.repeat(32));
    await writeFile(join(dataDir, 'cursor-key'), 'abc');
    expect(await olderCursorKey(dataDir)).toBeNull();
  });
});
