import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { untilAnswer } from '#libs/devkit/testing/until.js';
import { openChdbStore } from './chdb-store.js';
import { openClickHouseStore } from './clickhouse-store.js';
import type { AnalyticsStore } from './store.js';
import { StoreError } from './store-error.js';
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

  describe('whose table is kept from its background work', () => {
    const TABLE = 'held.rows';
    let dir: string;
    let store: AnalyticsStore;

    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'tidepool-held-'));
      store = await openChdbStore({ dir });
      await store.command('CREATE DATABASE held');
      await store.command(`CREATE TABLE ${TABLE} (id UInt64) ENGINE = MergeTree ORDER BY id`);
      await store.command(`INSERT INTO ${TABLE} SELECT number FROM numbers(100)`);
      await store.command(`SYSTEM STOP MERGES ${TABLE}`);
    });

    afterEach(async () => {
      await letWork();
      await store.close();
      await removeFolder(dir);
    });

    /** A statement of a reader, so that it does not wait behind a deletion. */
    const letWork = () => store.query(`SYSTEM START MERGES ${TABLE}`);
    const rows = () => store.query(`SELECT toUInt32(count()) AS rows FROM ${TABLE}`);

    /** More looks than a deletion lasts that wakes its table, which it does about as often; all of them take half a minute. */
    const LOOKS = 500;

    it('wakes the table while a deletion waits for it', async () => {
      let deleted = false;
      const deletion = store.command(`DELETE FROM ${TABLE} WHERE id >= 10`).then(() => {
        deleted = true;
      });
      for (let look = 0; look < LOOKS && !deleted; look++) {
        await delay(50);
        await store.ping();
      }
      expect(deleted).toBe(true);
      await deletion;
      expect(await rows()).toEqual([{ rows: 10 }]);
    });

    it('fails an insert of which the engine read nothing', async () => {
      // Nothing wakes the table for a mutation: it holds the session that writes while the file of the insert is emptied.
      const mutation = store.command(`ALTER TABLE ${TABLE} DELETE WHERE id >= 10 SETTINGS mutations_sync = 2`);
      const row = Buffer.alloc(8);
      const inserted = store.insert(TABLE, ['id'], row, 'a token').catch((error: Error) => error);
      await truncate(await whole(join(dir, 'tidepool-inserts'), row.length), 0);
      await letWork();
      await mutation;
      expect(await inserted).toEqual(new StoreError('store_failed', `nothing of an insert into ${TABLE} was read`));
      expect(await rows()).toEqual([{ rows: 10 }]);
    });

    /** The one file of a folder, once it is there with all of its bytes. */
    async function whole(folder: string, bytes: number): Promise<string> {
      const look = async () => {
        const [name] = await readdir(folder);
        return name !== undefined && (await stat(join(folder, name))).size === bytes && join(folder, name);
      };
      return untilAnswer(`a file of ${bytes} bytes`, look, { everyMs: 1 });
    }
  });

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
