import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { invalidExamples } from '#libs/devkit/testing/schema-check.js';
import { projectFolder } from '#libs/platform/program-version.js';
import { declarationOf } from '#libs/serve/http/declared-route.js';
import { gatewayDocument } from '../src/gateway/gateway-document.js';
import { gatewayRoutes } from '../src/gateway/gateway-routes.js';

describe('OpenAPI document of the gateway', () => {
  const text = gatewayDocument(gatewayRoutes.map(declarationOf));

  it('is the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'docs/openapi/gateway.yaml'), 'utf8');
    // When this fails: npm run documents
    expect(text).toBe(committed);
  });

  it('has valid examples, and references that all lead somewhere', () => {
    const document = parse(text);
    expect(invalidExamples(document)).toEqual({ compared: expect.any(Number), problems: [] });
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)].map((match) => match[1]!.split('/'));
    expect(refs.length).toBeGreaterThan(10);
    for (const path of refs) expect(path.reduce((at, part) => at?.[part], document)).toBeDefined();
  });
});
