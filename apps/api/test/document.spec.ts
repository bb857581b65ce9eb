import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from '#libs/platform/program-version.js';
import { apiDocument } from '../src/documents/api-document.js';
import { declaredRoutes } from '../src/feature/feature.js';
import { features } from '../src/features.js';

describe('OpenAPI document', () => {
  const routes = declaredRoutes(features);

  it('is the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'docs/openapi/api.yaml'), 'utf8');
    // When this fails: npm run documents
    expect(apiDocument(routes)).toBe(committed);
  });

  it('describes every declared route and no other', () => {
    const { paths } = parse(apiDocument(routes)) as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.sort()).toEqual(declared.sort());
  });

  it('is OpenAPI 3.1 whose references all lead somewhere', () => {
    const document = parse(apiDocument(routes));
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    expect(text).not.toContain('"nullable"');
    const refs = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]*)"/g)].map((match) => [match[1]!, match[2]!]);
    expect(refs.length).toBeGreaterThan(20);
    for (const [kind, name] of refs) expect(Object.keys(document.components[kind!])).toContain(name);
  });
});
