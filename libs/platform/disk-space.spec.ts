import { tmpdir } from 'node:os';
import { DiskGuard, diskFullError, freeBytes, isDiskFull } from './disk-space.js';
import { silentLogger } from './logger.js';

it('recognises a full disk from the file system, lmdb and ClickHouse', () => {
  const failures = [
    Object.assign(new Error('write'), { code: 'ENOSPC' }),
    Object.assign(new Error('write'), { code: 'EDQUOT' }),
    new Error('MDB_MAP_FULL: Environment mapsize limit reached'),
    new Error('Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space'),
    new Error('append failed', { cause: new Error('No space left on device') }),
    diskFullError('/data'),
  ];
  for (const failure of failures) expect(isDiskFull(failure)).toBe(true);
  for (const other of [new Error('Code: 60. Unknown table'), new Error('ECONNREFUSED'), 'ENOSPC', null]) {
    expect(isDiskFull(other)).toBe(false);
  }
});

it('measures real disks', async () => {
  expect(await freeBytes(tmpdir())).toBeGreaterThan(0);
});

it('stops writing once below the limit and continues well above it', async () => {
  const events: string[] = [];
  let free = 1_000;
  const guard = new DiskGuard({
    dir: '/data',
    minFreeBytes: 500,
    logger: silentLogger,
    measure: async () => free,
    onLow: async (message) => void events.push(message.slice(0, 27)),
    onRecovered: () => void events.push('recovered'),
  });
  for (const next of [1_000, 499, 100, 500, 749, 750, 2_000, 400]) {
    free = next;
    await guard.check();
  }
  expect(events).toEqual(['the disk that holds /data i', 'recovered', 'the disk that holds /data i']);
  expect(guard.isLow).toBe(true);
});
