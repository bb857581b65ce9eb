import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { removeFolder } from '#libs/testing/remove-folder.js';
import { openChdbStore } from './chdb-store.js';
import { openClickHouseStore } from './clickhouse-store.js';
import { childArguments } from './test/child-process.js';
import { crashContract } from './test/crash-contract.js';
import { storeContract } from './test/store-contract.js';
import { storesUnderTest } from './test/stores-under-test.js';

for (const kind of storesUnderTest()) {
  storeContract(kind);
  crashContract(kind);
}

describe('a data directory of chDB', () => {
  it('that another process has open is refused with a clear error', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-taken-'));
    const store = await openChdbStore({ dir });
    try {
      const child = spawn(process.execPath, [...childArguments('insert-until-killed.ts'), 'chdb', dir, '0'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      expect(code).not.toBe(0);
      expect(errors).toMatch(/store_in_use/);
      await store.ping();
    } finally {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    }
  });

  // Without waking, each of the deletions lasts as long as its table rests, six seconds: 120 together.
  it('deletes at once where parts of the table are being merged', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-deletions-'));
    const store = await openChdbStore({ dir });
    try {
      await store.command('CREATE DATABASE merged');
      for (let round = 0; round < 20; round++) {
        const table = `merged.rows_${round}`;
        await store.command(`CREATE TABLE ${table} (id UInt64, text String) ENGINE = MergeTree ORDER BY id`);
        for (let part = 0; part < 6; part++) {
          await store.command(`INSERT INTO ${table} SELECT number, toString(number) FROM numbers(30000)`);
        }
        await store.command(`DELETE FROM ${table} WHERE id >= 100`);
        expect(await store.query(`SELECT toUInt32(count()) AS rows FROM ${table}`)).toEqual([{ rows: 600 }]);
      }
    } finally {
      await store.close();
      await removeFolder(dir);
    }
  }, 60_000);

  it('is not opened in a worker thread', async () => {
    const file = fileURLToPath(new URL('./test/open-in-worker.ts', import.meta.url));
    const worker = new Worker(file, { execArgv: childArguments('open-in-worker.ts').slice(0, 2) });
    const [message] = await once(worker, 'message');
    expect(message).toBe('chDB does not run in a worker thread');
    await worker.terminate();
  });
});

describe('errors of the HTTP store', () => {
  it('never show credentials', async () => {
    const attempt = openClickHouseStore({ url: 'http://someone:se%2Fcret-word@127.0.0.1:1/' });
    const error = await attempt.then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: 'store_failed' });
    const everything = `${error!.message} ${error!.stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
    expect(everything).not.toMatch(/cret-word/);
    expect(error!.cause).toBeUndefined();
  });
});
