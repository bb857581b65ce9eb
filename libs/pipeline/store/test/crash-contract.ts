import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import type { AnalyticsStore } from '../store.js';
import { childArguments, endChild, nextLine } from './child-process.js';
import { crashBatch, crashColumns, crashSchema, crashTable, rowsInBatch } from './crash-batches.js';
import type { StoreKind, StoreUnderTest } from './stores-under-test.js';

/** Inserts the batch that was under way under another token where rows of it are missing, without what is there of it. */
async function completeLast(store: AnalyticsStore, batch: number): Promise<void> {
  const missing = async (table: string) => {
    const [row] = await store.query<{ n: string }>(`SELECT count() AS n FROM ${table} WHERE batch = {batch:UInt32}`, {
      batch,
    });
    return rowsInBatch - Number(row!.n);
  };
  const tables = [crashTable, `${crashTable}_copy`];
  const short = [];
  for (const table of tables) short.push(await missing(table));
  for (const rows of short) expect(rows).toBeGreaterThanOrEqual(0);
  if (short.every((rows) => rows === 0)) return;
  for (const table of tables) await store.command(`DELETE FROM ${table} WHERE batch = {batch:UInt32}`, { batch });
  await store.insert(crashTable, crashColumns, crashBatch(batch), `batch-${batch}-anew`);
}

/**
 * Kill −9 of the process that holds the data, in the middle of inserts, at a random moment after a few acknowledgements.
 * Nothing acknowledged is lost, and after the batch that was under way is repeated with its token, nothing is double,
 * neither in the table nor in the copy that a view keeps. Only of that batch rows may be missing even then, where the crash
 * came between the token and the rows: a count finds out, and it goes in again.
 */
export function crashContract(kind: StoreKind): void {
  describe(`crashes: ${kind.name}`, () => {
    let under: StoreUnderTest;

    beforeAll(async () => {
      under = await kind.open();
    });

    afterAll(async () => {
      await under.cleanUp();
    });

    it('loses no acknowledged batch and doubles none', async () => {
      const { crash } = under;
      if (crash === null) return;
      for (const statement of crashSchema) await under.store.command(statement);
      let next = 0;
      for (let run = 0; run < Math.max(2, Math.round(scale * 20)); run++) {
        await under.store.close();
        const where = crash.kind === 'chdb' ? crash.dir : crash.url();
        const child = spawn(
          process.execPath,
          [...childArguments('insert-until-killed.ts'), crash.kind, where, String(next)],
          {
            env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
            stdio: ['ignore', 'pipe', 'ignore'],
          },
        );
        const lines = createInterface({ input: child.stdout });
        let acknowledged = Number(await nextLine(lines));
        lines.on('line', (line) => {
          acknowledged = Number(line);
        });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
        if (crash.kind === 'clickhouse') await crash.kill();
        await endChild(child, 'SIGKILL');
        if (crash.kind === 'clickhouse') await crash.restart();
        const store = await under.reopen();
        const count = async (table: string) =>
          (
            await store.query<{ n: string; u: string }>(
              `SELECT count() AS n, uniqExact(batch, number) AS u FROM ${table}`,
            )
          )[0]!;
        expect(Number((await count(crashTable)).n)).toBeGreaterThanOrEqual((acknowledged + 1) * rowsInBatch);
        for (const batch of [acknowledged, acknowledged + 1]) {
          await store.insert(crashTable, crashColumns, crashBatch(batch), `batch-${batch}`);
        }
        await completeLast(store, acknowledged + 1);
        next = acknowledged + 2;
        const expected = { n: String(next * rowsInBatch), u: String(next * rowsInBatch) };
        expect({ run, ...(await count(crashTable)) }).toEqual({ run, ...expected });
        expect({ run, ...(await count(`${crashTable}_copy`)) }).toEqual({ run, ...expected });
        under.store = store;
      }
    }, 300_000);
  });
}
