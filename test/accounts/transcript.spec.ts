import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { describeUnlessMissing } from '#libs/devkit/testing/requirements.js';
import { until } from '#libs/devkit/testing/until.js';
import { buildPrograms, endPrograms, PROJECT, Program } from '../multi-process/program.js';
import { Shell, TranscriptReader, transcriptOf } from './transcript.js';

const LIMIT_MS = 400_000;
const missing = ['bash', 'curl'].find((name) => spawnSync(name, ['--version']).status !== 0) ?? null;

it('a transcript is compared line by line, but for ids, times and what is left of the rate', () => {
  const missing = (command: string, printed: string[], output: string, reader = new TranscriptReader()) =>
    reader.missing({ command, printed }, output);
  const [one, other] = ['51915fdb96942886', 'af2abaac50701812'];
  expect(missing('x', ['a', `key ${one}`], `a\nkey ${other}\n`)).toEqual([]);
  expect(missing('x', ['a', 'b'], 'a\nc')).toEqual(['b', 'no such line: c']);
  expect(missing('x', ['a', 'b'], 'b\na')).toEqual([]);
  expect(missing('x', ['a'], 'a\nb')).toEqual(['no such line: b']);
  expect(missing('x', [], 'b')).toEqual(['no such line: b']);
  expect(missing('curl -i x', ['ratelimit-remaining: 9', 'x: 4'], 'x: 4\ny: 5\nratelimit-remaining: 10')).toEqual([]);
  expect(missing('curl -i x', ['x: 4'], 'x: 5')).toEqual(['x: 4']);
  // An id is the same key wherever it is.
  const reader = new TranscriptReader();
  expect(missing('x', [`key ${one}`], `key ${other}`, reader)).toEqual([]);
  expect(reader.command(`keys rotate ${one}`)).toBe(`keys rotate ${other}`);
  expect(missing('x', [`key ${one}`], 'key 0000000000000000', reader)).toContain(`key ${one}`);
});

/** What docs/accounts.md shows of an operator's first account is typed again, next to an instance of its own. */
describeUnlessMissing(missing && `no ${missing}`, 'the transcript of docs/accounts.md (long)', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-transcript-'));
  const steps = transcriptOf(readFileSync(join(PROJECT, 'docs/accounts.md'), 'utf8'), "## An operator's first account");

  beforeAll(() => {
    buildPrograms();
    mkdirSync(join(root, 'empty'));
  }, LIMIT_MS);

  afterAll(async () => {
    await endPrograms();
    removeFolderSync(root);
  }, LIMIT_MS);

  /** Types all of it; answers what was not printed as it is there. */
  async function typed(dir: string): Promise<string[]> {
    const ports = ['API', 'WS', 'RPC', 'SOL', 'RELAY', 'BASE', 'ADMIN'].map((port) => [`TIDEPOOL_${port}_PORT`, '0']);
    const nowhere = { TIDEPOOL_CHAINS: 'eth', TIDEPOOL_RPC_ETH: 'http://127.0.0.1:1' };
    const program = new Program({
      args: [join(PROJECT, 'dist/apps/all-in-one/src/main.js')],
      ...{ env: { ...Object.fromEntries(ports), ...nowhere, TIDEPOOL_DATA_DIR: dir }, cwd: join(root, 'empty') },
    });
    const { api, admin } = await program.logged('listening');
    const shell = new Shell({
      ...{ cwd: join(root, 'empty'), env: { TIDEPOOL_DATA_DIR: dir } },
      // npx runs what this folder's package has; curl says how far it is where it has no terminal.
      prelude: `npx() { shift 2; "${process.execPath}" "${PROJECT}/scripts/tidepool.mjs" "$@"; }
curl() { command curl -s "$@"; }`,
    });
    try {
      const reader = new TranscriptReader();
      const wrong: string[] = [];
      for (const step of steps) {
        // What a person took longer to type: the usage is in the log.
        await until('saved usage', async () => {
          const { accounts } = (await (await fetch(`${admin}/status`)).json()) as { accounts: { unsaved: number } };
          return accounts.unsaved === 0;
        });
        const command = reader.command(step.command).replaceAll('http://127.0.0.1:4200', api as string);
        const output = await shell.run(command);
        const lines = reader.missing(step, output);
        if (lines.length > 0) wrong.push(`$ ${command}`, ...lines.map((line) => `- ${line}`), output);
      }
      return wrong;
    } finally {
      shell.close();
      await program.interrupt();
    }
  }

  it(
    'is what an instance prints',
    async () => {
      expect(steps.length).toBeGreaterThan(14);
      const day = () => new Date().toISOString().slice(0, 10);
      // Usage is listed by day: what was typed over midnight is typed again.
      for (let round = 0; ; round++) {
        const before = day();
        const wrong = await typed(join(root, `data-${round}`));
        if (day() !== before) continue;
        expect(wrong).toEqual([]);
        return;
      }
    },
    LIMIT_MS,
  );
});
