import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { invalidExamples } from '#libs/devkit/testing/schema-check.js';
import { projectFolder } from '#libs/platform/program-version.js';
import { hostDocument } from '../src/hosts/host-documents.js';
import { relayHost, relayRoutes } from '../src/relay/relay-host.js';
import { utilitiesHost, utilitiesRoutes } from '../src/utilities/utilities-host.js';

describe.each([['relay', relayHost, relayRoutes] as const, ['utilities', utilitiesHost, utilitiesRoutes] as const])(
  'OpenAPI document of the host %s',
  (name, host, routes) => {
    const text = hostDocument(host, routes);

    it('is the committed copy', async () => {
      const committed = await readFile(join(projectFolder(), `docs/openapi/${name}.yaml`), 'utf8');
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
  },
);
