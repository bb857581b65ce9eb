import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { projectFolder } from '#libs/platform/program-version.js';
import { Answer, etagOf } from '#libs/serve/http/answer.js';
import { notFound } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';

/**
 * The console's files, read once when the process starts: the page at `/`, its parts at `/assets/{name}`, nothing else.
 * They are open, because they hold no data: the page asks for what it shows with the key of its user.
 */
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * Scripts and styles of this origin only; nothing inline, no frame around it, no form that leaves it. Requests go to
 * this origin and to the router; with a router on loopback, also to local chains, which only listen there.
 */
function policy(routerUrl: string | null): string {
  const origin = routerUrl !== null && URL.canParse(routerUrl) ? new URL(routerUrl).origin : null;
  const loopback = origin !== null && /^http:\/\/(127\.0\.0\.1|localhost)(:|$)/.test(origin);
  const others = [...(origin === null ? [] : [origin]), ...(loopback ? ['http://127.0.0.1:*'] : [])];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...others].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const guards = (routerUrl: string | null): Readonly<Record<string, string>> => ({
  'content-security-policy': policy(routerUrl),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});

/** Where the build puts them: the same for the built program and for its source. */
export const consoleFolder = (): string => join(projectFolder(), 'dist/console');

export async function consoleRoutes(
  folder: string = consoleFolder(),
  routerUrl: () => string | null = () => null,
): Promise<HttpRoute[]> {
  const page = await readPage(folder, routerUrl);
  const assets = await readAssets(join(folder, 'assets'));
  const asset = (request: FastifyRequest): Answer => {
    const { name } = request.params as { name: string };
    const answer = assets.get(name);
    if (answer === undefined) throw notFound(`the console has no file ${name.slice(0, 200)}`);
    return answer;
  };
  return [
    { method: 'GET', path: '/', open: true, handle: page },
    { method: 'GET', path: '/assets/:name', open: true, handle: asset },
  ];
}

/**
 * The page names its assets, so it is asked for again each time; its tag makes that cheap. The router's address is known
 * only once its listener runs, so the policy is written when the page is asked for.
 */
async function readPage(folder: string, routerUrl: () => string | null): Promise<() => Answer> {
  const body = await read(join(folder, 'index.html'));
  const make = (router: string | null): Answer => {
    const headers = guards(router);
    if (body === null) {
      const text = Buffer.from('The console is not built: run npm run build and start again.\n');
      return new Answer(text, 'text/plain; charset=utf-8', null, { ...headers, 'cache-control': 'no-store' }, 503);
    }
    // A page from a cache would keep the policy that it came with.
    const tag = etagOf(Buffer.concat([body, Buffer.from(headers['content-security-policy']!)]));
    return new Answer(body, 'text/html; charset=utf-8', tag, { ...headers, 'cache-control': 'no-cache' });
  };
  let made = { router: routerUrl(), page: make(routerUrl()) };
  return () => {
    const router = routerUrl();
    if (router !== made.router) made = { router, page: make(router) };
    return made.page;
  };
}

/** An asset's name carries a hash of its content: it never changes. */
async function readAssets(folder: string): Promise<Map<string, Answer>> {
  const assets = new Map<string, Answer>();
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    const body = type === undefined ? null : await read(join(folder, name));
    if (body === null) continue;
    const headers = { ...guards(null), 'cache-control': 'public, max-age=31536000, immutable' };
    assets.set(name, new Answer(body, type!, etagOf(body), headers));
  }
  return assets;
}

async function read(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}
