import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadThrough } from './read-through.js';

const BYTES = 3 * 1024 * 1024 + 5;

describe('a file that is read through', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-read-through-'));
  const file = join(dir, 'data');
  writeFileSync(file, Buffer.alloc(BYTES));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('is read to its end', async () => {
    expect(await new ReadThrough(file).ended).toBe(BYTES);
  });

  test('is read no further than to the piece with the bound', async () => {
    expect(await new ReadThrough(file, 1_500_000).ended).toBe(2 * 1024 * 1024);
  });

  test('is left when it is stopped', async () => {
    const reading = new ReadThrough(file);
    await reading.stop();
    expect(await reading.ended).toBeLessThan(BYTES);
  });

  test('is no failure where it cannot be read', async () => {
    expect(await new ReadThrough(join(dir, 'none')).ended).toBe(0);
  });
});
