import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#libs/devkit/testing/guarded-server.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { buildPrograms, endPrograms, PROJECT, Program } from '../multi-process/program.js';

const LIMIT_MS = 400_000;
/** A port without a listener. */
const NOWHERE = 'http://127.0.0.1:1';

/** A whole instance with the gateway and one without; no chain of it can be reached, which no listener depends on. */
describe('TIDEPOOL_RPC_GATEWAY (long)', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-gateway-off-'));

  beforeAll(() => buildPrograms(), LIMIT_MS);
  afterAll(async () => {
    await endPrograms();
    removeFolderSync(root);
  }, LIMIT_MS);

  async function started(name: string, env: Record<string, string>) {
    const cwd = join(root, `${name}-empty`);
    mkdirSync(cwd);
    const port = await freePort();
    const ports = ['API', 'WS', 'SOL', 'RELAY', 'BASE', 'ADMIN'].map((each) => [`TIDEPOOL_${each}_PORT`, '0']);
    const program = new Program({
      args: [join(PROJECT, 'dist/apps/all-in-one/src/main.js')],
      cwd,
      env: {
        ...{ ...Object.fromEntries(ports), TIDEPOOL_RPC_PORT: String(port), TIDEPOOL_DATA_DIR: join(root, name) },
        ...{ TIDEPOOL_CHAINS: 'eth', TIDEPOOL_RPC_ETH: NOWHERE, ...env },
      },
    });
    const urls = (await program.logged('listening')) as unknown as Record<string, string | null>;
    const key = readFileSync(join(root, name, 'demo-key'), 'utf8').trim();
    const status = (await (await fetch(`${urls.admin}/status`)).json()) as Record<string, unknown>;
    const read = async (path: string) => (await fetch(urls.api + path, { headers: { 'x-api-key': key } })).text();
    const shown = {
      chains: await read('/chains'),
      status: await read('/status'),
      document: await read('/openapi.yaml'),
    };
    const post = (): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/eth`, {
        ...{ method: 'POST', headers: { 'x-api-key': key } },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_mining', params: [] }),
      }).then(
        ({ status: code }) => code,
        (error: { cause?: { code?: string } }) => Promise.reject(new Error(error.cause?.code)),
      );
    return { program, port, urls, status, shown, post };
  }

  it(
    'on, which it is without a word of it: the gateway listens, and operators are shown it',
    async () => {
      const { program, port, urls, status, post } = await started('on', {});
      expect(urls.rpc).toBe(`http://127.0.0.1:${port}`);
      expect(status.urls).toMatchObject({ rpc: urls.rpc });
      expect(status.gateway).toEqual([expect.objectContaining({ chain: 'eth' })]);
      expect(await post()).toBe(200);
      await program.interrupt();
    },
    LIMIT_MS,
  );

  it(
    'off: nothing listens there, and nothing names it',
    async () => {
      const { program, port, urls, status, shown, post } = await started('off', { TIDEPOOL_RPC_GATEWAY: 'off' });
      await expect(post()).rejects.toThrow('ECONNREFUSED');
      expect(urls).toMatchObject({
        rpc: null,
        api: expect.stringMatching(/^http/),
        base: expect.stringMatching(/^http/),
      });
      expect(status.urls).toMatchObject({ rpc: null });
      expect(Object.keys(status)).toEqual(expect.arrayContaining(['live', 'readers', 'urls']));
      expect(Object.keys(status)).not.toContain('gateway');
      for (const text of [...Object.values(shown), program.words, consoleText()]) {
        expect(text).not.toBe('');
        expect(text).not.toMatch(new RegExp(`json-?rpc gateway|:${port}\\b|^ +JSON-RPC `, 'im'));
      }
      await program.interrupt();
    },
    LIMIT_MS,
  );
});

/** Every text of the page as it is served. */
function consoleText(): string {
  const folder = join(PROJECT, 'dist/console');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(js|html|css)$/.test(name),
  );
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}
