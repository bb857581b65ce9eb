import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneKey } from '#libs/devkit/testing/local-accounts.js';
import { createListener, type Listener } from '#libs/serve/http/listener.js';
import { apiErrorBody } from '../api-listener.js';
import { consoleFolder, consoleRoutes } from './console-files.js';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** The files of a folder behind a real listener that asks for a key everywhere else. */
describe('files of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidepool-console-'));
  const { accounts } = oneKey('tp_none');
  let listener: Listener;

  let routerUrl: string | null = null;

  const listen = async (from: string): Promise<Listener> =>
    createListener({
      routes: [
        ...(await consoleRoutes(from, () => routerUrl)),
        { method: 'GET', path: '/chains', open: false, handle: () => Promise.reject(new Error('not reached')) },
      ],
      errorBody: apiErrorBody,
      accounts,
      host: '127.0.0.1',
      port: 0,
      logger: quiet,
    });

  it('are looked for where scripts/build.mjs puts them', () => {
    expect(consoleFolder()).toBe(join(process.cwd(), 'dist/console'));
  });

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    writeFileSync(join(folder, '.inputs'), 'secret stamp');
    writeFileSync(join(folder, 'assets/index-ab12.js'), `export default ${JSON.stringify('x'.repeat(4_000))};`);
    writeFileSync(join(folder, 'assets/index-ab12.css'), 'body { margin: 0 }');
    writeFileSync(join(folder, 'assets/notes.txt'), 'no type, not served');
    listener = await listen(folder);
  });

  afterAll(async () => {
    await listener?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${listener.url}${path}`, { headers });

  it('serves the page without a key, to be asked for again each time', async () => {
    const response = await get('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.text()).toBe('<!doctype html><title>page</title>');
    const again = await get('/', { 'if-none-match': response.headers.get('etag')! });
    expect(again.status).toBe(304);
    expect(again.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('allows scripts, styles and requests of its own origin only, and nothing inline', async () => {
    const policy = (await get('/')).headers.get('content-security-policy')!;
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0]!, rule.split(' ').slice(1)]));
    expect(rules.get('default-src')).toEqual(["'none'"]);
    for (const name of ['script-src', 'style-src', 'connect-src']) expect(rules.get(name)).toEqual(["'self'"]);
    expect(rules.get('frame-ancestors')).toEqual(["'none'"]);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it.each([
    ['https://router.example.org/swaps', ["'self'", 'https://router.example.org']],
    // Local chains run with a router on loopback, on ports of their own.
    ['http://127.0.0.1:4100', ["'self'", 'http://127.0.0.1:4100', 'http://127.0.0.1:*']],
    ['http://127.0.0.1.example.org', ["'self'", 'http://127.0.0.1.example.org']],
    ['not an address', ["'self'"]],
  ])('lets the page ask the router at %s', async (url, sources) => {
    const before = await get('/');
    routerUrl = url;
    try {
      const page = await get('/', { 'if-none-match': before.headers.get('etag')! });
      expect(page.headers.get('content-security-policy')).toContain(`connect-src ${sources.join(' ')};`);
      // What a browser kept came with another policy.
      expect(page.status).toBe(sources.length > 1 ? 200 : 304);
    } finally {
      routerUrl = null;
    }
  });

  it('serves assets for ever, compressed where it pays', async () => {
    const script = await get('/assets/index-ab12.js', { 'accept-encoding': 'br' });
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-encoding')).toBe('br');
    expect(script.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await script.text()).toContain('xxxx');
    expect((await get('/assets/index-ab12.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect((await fetch(`${listener.url}/`, { method: 'HEAD' })).status).toBe(200);
  });

  it.each([
    '/assets/notes.txt',
    '/assets/none.js',
    '/assets/..%2f.inputs',
    '/assets/%2e%2e%2findex.html',
    '/index.html',
    '/.inputs',
    '/assets/',
    '/assets',
    '/v1/',
  ])('has nothing at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('opens no other route', async () => {
    expect((await get('/chains')).status).toBe(401);
  });

  it('says what to do where it is not built', async () => {
    const bare = await listen(join(folder, 'missing'));
    try {
      const response = await fetch(`${bare.url}/`);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('npm run build');
    } finally {
      await bare.close();
    }
  });
});
