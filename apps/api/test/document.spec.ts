import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from '#libs/platform/program-version.js';
import { apiRoutePaths } from '../src/create-api.js';
import { apiDocument, apiOperations } from '../src/openapi/api-document.js';

describe('OpenAPI document', () => {
  it('is the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'docs/openapi/api.yaml'), 'utf8');
    // When this fails: build, then run dist/apps/api/src/openapi/write-document.js docs/openapi/api.yaml
    expect(await apiDocument()).toBe(committed);
  });

  it('describes every route of the listener and no other', () => {
    expect(apiOperations.map((operation) => operation.path).sort()).toEqual([...apiRoutePaths].sort());
  });

  it('is OpenAPI 3.1 whose references all lead somewhere', async () => {
    const document = parse(await apiDocument());
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    expect(text).not.toContain('"nullable"');
    const refs = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g)].map((match) => match[1]!);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) expect(Object.keys(document.components.schemas)).toContain(ref);
  });
});
