import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from '#libs/platform/program-version.js';
import { invalidExamples } from '#libs/testing/schema-check.js';
import { receiptRoutes } from '../src/evm/receipts/receipt-routes.js';
import { routerDocument } from '../src/openapi/router-document.js';
import { routerOperations } from '../src/openapi/router-operations.js';
import { RouterHarness } from './router-harness.js';

describe('OpenAPI document of the router', () => {
  it('is the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'docs/openapi/router.yaml'), 'utf8');
    // When this fails: npm run documents
    expect(routerDocument()).toBe(committed);
  });

  it('has a whole example of every answer and every body, and each is valid', () => {
    const document = parse(routerDocument());
    expect(invalidExamples(document)).toEqual({ compared: expect.any(Number), problems: [] });
    expect(invalidExamples(document).compared).toBeGreaterThan(80);
  });

  it('is OpenAPI 3.1, version 1.0.0, whose references all lead somewhere', () => {
    const document = parse(routerDocument());
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
    const text = JSON.stringify(document);
    expect(text).not.toContain('"nullable"');
    const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g)].map((match) => match[1]!);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) expect(Object.keys(document.components.schemas)).toContain(ref);
    expect(document.components.schemas.EvmQuote.required).toHaveLength(23);
  });

  it('is served, open, and describes what the listener answers and nothing else', async () => {
    const summary = { count: 0, executed: 0, medianDifference: null, worstDifference: null };
    const list = () => ({ receipts: [], next: null, summary });
    const harness = await RouterHarness.start({ keys: true, routes: receiptRoutes({ chains: [], list }) });
    try {
      const served = await harness.get('/openapi.yaml', { key: null });
      expect([served.status, served.text]).toEqual([200, routerDocument()]);
      expect(served.headers.get('content-type')).toContain('yaml');
      const byPath = new Map<string, string[]>();
      for (const { path, method } of routerOperations) byPath.set(path, [...(byPath.get(path) ?? []), method]);
      const document = parse(served.text);
      expect(Object.keys(document.paths).sort()).toEqual([...byPath.keys()].sort());
      for (const [path, methods] of byPath) {
        expect(Object.keys(document.paths[path]).sort()).toEqual(methods.map((method) => method.toLowerCase()).sort());
        const refused = await harness.get(path, { method: 'DELETE', key: null });
        expect([path, refused.headers.get('allow')]).toEqual([path, methods.join(', ')]);
      }
      for (const { path, method, access } of routerOperations) {
        const answer = await harness.get(path, { method, key: null });
        expect([path, answer.status === 401]).toEqual([path, access === 'keyed']);
        const { responses } = document.paths[path][method.toLowerCase()];
        expect([path, '401' in responses]).toEqual([path, access === 'keyed']);
      }
    } finally {
      await harness.close();
    }
  });
});
