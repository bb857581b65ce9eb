import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA_FORMAT, openDataFolder } from './data-folder.js';

const root = mkdtempSync(join(tmpdir(), 'tidepool-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const fresh = (): string => join(root, `d${count++}`);
const open = (dir: string, version = '1.0.0', exclusive?: boolean) =>
  openDataFolder({ dir, version, holder: 'npm start', exclusive });
const watch = (dir: string, silentMs: number) =>
  openDataFolder({ dir, version: '1.0.0', holder: 'npm start', silentMs });
const lockOf = (dir: string): string => join(dir, 'instance.lock');

describe('the stamp', () => {
  it('is written once and follows the program', async () => {
    const dir = fresh();
    await (await open(dir, '1.0.0')).close();
    await (await open(dir, '1.1.0')).close();
    const stamp = JSON.parse(readFileSync(join(dir, 'tidepool.json'), 'utf8'));
    expect(stamp).toEqual({ format: DATA_FORMAT, createdBy: '1.0.0', openedBy: '1.1.0' });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('keeps an older program out, says which version wrote it, and leaves the lock free', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(
      join(dir, 'tidepool.json'),
      JSON.stringify({ format: DATA_FORMAT + 1, createdBy: '2.0.0', openedBy: '2.3.0' }),
    );
    await expect(open(dir)).rejects.toMatchObject({
      code: 'data_folder',
      message: expect.stringContaining('written by Tidepool 2.3.0'),
    });
    expect(() => statSync(lockOf(dir))).toThrow(/ENOENT/);
  });

  it('must be readable', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(join(dir, 'tidepool.json'), '{"format":');
    await expect(open(dir)).rejects.toThrow(/is damaged/);
  });

  it('protects folders that are not ours', async () => {
    const dir = fresh();
    mkdirSync(dir);
    writeFileSync(join(dir, 'thesis.odt'), '');
    await expect(open(dir)).rejects.toThrow(/is not a Tidepool data folder \(it holds thesis.odt\)/);
  });
});

describe('the lock', () => {
  it('keeps a second instance out and names the first', async () => {
    const dir = fresh();
    const first = await open(dir);
    await expect(open(dir)).rejects.toMatchObject({
      code: 'data_folder_in_use',
      message: expect.stringMatching(
        new RegExp(`in use by npm start \\(process ${process.pid}, since .*TIDEPOOL_DATA_DIR`),
      ),
    });
    await first.close();
    await (await open(dir)).close();
  });

  it('is not asked of apps that share the folder', async () => {
    const dir = fresh();
    const first = await open(dir);
    await (await open(dir, '1.0.0', false)).close();
    await first.close();
  });

  it('is taken over from a process that was killed', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await new Promise((resolve) => child.once('spawn', resolve));
    const started = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19];
    const holder = { pid: child.pid, started, host: hostname(), what: 'npm start', since: 'then' };
    writeFileSync(lockOf(dir), JSON.stringify(holder));
    await expect(open(dir)).rejects.toThrow(/in use/);
    await killed(child);
    await (await open(dir)).close();
  });

  it('is taken over when its pid belongs to another process now', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(
      lockOf(dir),
      JSON.stringify({ pid: process.pid, started: '1', host: hostname(), what: 'x', since: '' }),
    );
    await (await open(dir)).close();
  });

  it.each([
    ['long ago', -86_400_000],
    ['in a day', 86_400_000],
  ])('of another host counts while it shows life, whatever the clocks say: %s', async (_when, offset) => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(lockOf(dir), JSON.stringify({ pid: 1, started: '1', host: 'container-7', what: 'x', since: '' }));
    let beats = 0;
    const beat = (): void => {
      const at = new Date(Date.now() + offset + 5_000 * beats++);
      utimesSync(lockOf(dir), at, at);
    };
    beat();
    const beating = setInterval(beat, 50);
    await expect(watch(dir, 60_000)).rejects.toThrow(/process 1 on container-7/);
    clearInterval(beating);
    await (await watch(dir, 300)).close();
  });

  it('of another host is won by exactly one of many that find it silent', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(lockOf(dir), JSON.stringify({ pid: 1, started: '1', host: 'container-7', what: 'x', since: '' }));
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => watch(dir, 300)));
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]!.value.close();
  });

  it('is won by exactly one of many that find it abandoned', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(
      lockOf(dir),
      JSON.stringify({ pid: process.pid, started: '1', host: hostname(), what: 'x', since: '' }),
    );
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => open(dir)));
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason.code).toBe('data_folder_in_use');
    await won[0]!.value.close();
  });

  it('damaged by a crash is taken over', async () => {
    const dir = fresh();
    await (await open(dir)).close();
    writeFileSync(lockOf(dir), '{"pi');
    await (await open(dir)).close();
  });
});

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
