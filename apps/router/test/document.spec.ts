import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { invalidExamples } from '#libs/devkit/testing/schema-check.js';
import { projectFolder } from '#libs/platform/program-version.js';
import { clientTypes } from '#libs/serve/contract/documents/client-types.js';
import { declaredRoutes } from '#libs/serve/http/route-feature.js';
import { routerDocument } from '../src/documents/router-document.js';
import { features } from '../src/features.js';
import { RouterHarness } from './router-harness.js';

describe('OpenAPI document of the router', () => {
  const routes = declaredRoutes(features);

  it('is the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'docs/openapi/router.yaml'), 'utf8');
    // When this fails: npm run documents
    expect(routerDocument(routes)).toBe(committed);
  });

  it('gives the types of the client, which are the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'libs/serve/client/generated/router.ts'), 'utf8');
    // When this fails: npm run documents
    expect(await clientTypes({ name: 'Router', routes })).toBe(committed);
  });

  it('has a whole example of every answer and every body, and each is valid', () => {
    const document = parse(routerDocument(routes));
    expect(invalidExamples(document)).toEqual({ compared: expect.any(Number), problems: [] });
    expect(invalidExamples(document).compared).toBeGreaterThan(80);
  });

  it('is OpenAPI 3.1, version 1.0.0, whose references all lead somewhere', () => {
    const document = parse(routerDocument(routes));
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
    const text = JSON.stringify(document);
    expect(text).not.toContain('"nullable"');
    const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g)].map((match) => match[1]!);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) expect(Object.keys(document.components.schemas)).toContain(ref);
    expect(document.components.schemas.EvmQuote.required).toHaveLength(23);
  });

  it('is served, open, and says of every path which methods it has and whether it asks for a key', async () => {
    const harness = await RouterHarness.start({ keys: true });
    try {
      const served = await harness.get('/openapi.yaml', { key: null });
      expect([served.status, served.text]).toEqual([200, routerDocument(routes)]);
      expect(served.headers.get('content-type')).toContain('yaml');
      const paths = Object.entries<Record<string, Operation>>(parse(served.text).paths);
      expect(paths.flatMap(([, methods]) => Object.keys(methods))).toHaveLength(routes.length);
      for (const [path, methods] of paths) {
        const names = Object.keys(methods).map((method) => method.toUpperCase());
        const refused = await harness.get(path, { method: 'DELETE', key: null });
        expect([path, refused.headers.get('allow')]).toEqual([path, names.join(', ')]);
        for (const method of names) {
          const { responses, security } = methods[method.toLowerCase()]!;
          const answer = await harness.get(path, { method, key: null });
          expect([path, answer.status === 401]).toEqual([path, security.length > 0]);
          expect([path, '401' in responses]).toEqual([path, security.length > 0]);
        }
      }
    } finally {
      await harness.close();
    }
  });

  it('says which answers are kept, as the listener does', async () => {
    const harness = await RouterHarness.start();
    try {
      const kept: Record<string, boolean> = {};
      for (const { method, path, cache } of routes) {
        // Quotes of Solana need a chain of their own, and files of launches a launch.
        if (method !== 'GET' || path === '/quote' || path === '/launch/files/:name') continue;
        const answer = path === '/evm/quote' ? await harness.quote() : await harness.get(path.replace(':chain', 'eth'));
        const said = [answer.headers.get('etag') !== null, answer.headers.get('cache-control')];
        expect([path, answer.status, ...said]).toEqual([
          ...[path, 200, cache === 'tagged'],
          cache === 'no-store' ? 'no-store' : null,
        ]);
        kept[path] = cache === 'tagged';
      }
      expect(new Set(Object.values(kept))).toEqual(new Set([true, false]));
    } finally {
      await harness.close();
    }
  });
});

interface Operation {
  responses: object;
  security: readonly object[];
}
