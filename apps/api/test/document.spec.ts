import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { invalidExamples, schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { projectFolder } from '#libs/platform/program-version.js';
import { clientTypes } from '#libs/serve/contract/documents/client-types.js';
import { declaredRoutes } from '#libs/serve/http/route-feature.js';
import { apiDocument } from '../src/documents/api-document.js';
import { liveDocument } from '../src/documents/live-document.js';
import { declaredChannels } from '../src/feature/feature.js';
import { features } from '../src/features.js';

type Schema = Record<string, unknown>;

describe('AsyncAPI document', () => {
  const channels = declaredChannels(features);

  it('is the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'docs/asyncapi/api.yaml'), 'utf8');
    // When this fails: npm run documents
    expect(liveDocument(channels)).toBe(committed);
  });

  it('has every channel with its frames, and references that all lead somewhere', () => {
    const document = parse(liveDocument(channels));
    expect(document.asyncapi).toBe('3.0.0');
    const own = channels.map(({ name, frames }) => [name, frames.map(({ type }) => type)] as const);
    expect(own.length).toBeGreaterThanOrEqual(2);
    for (const [name, types] of own) {
      const shared = ['subscribe', 'subscribed', 'unsubscribed', 'lagged', 'error'];
      expect(Object.keys(document.channels[name].messages).sort()).toEqual([...types, ...shared].sort());
    }
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)].map((match) => match[1]!.split('/'));
    expect(refs.length).toBeGreaterThan(20);
    for (const path of refs) expect(path.reduce((at, part) => at?.[part], document)).toBeDefined();
  });

  it('describes what clients are sent: its examples are valid', () => {
    const document = parse(liveDocument(channels));
    let compared = 0;
    for (const channel of Object.values<{ messages: object }>(document.channels)) {
      for (const { payload, examples } of Object.values<{ payload: Schema; examples: { payload: unknown }[] }>(
        channel.messages as never,
      )) {
        expect(schemaProblems(document, payload, examples[0]!.payload)).toEqual([]);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(15);
  });
});

describe('types of the client', () => {
  it('are the committed copy', async () => {
    const committed = await readFile(join(projectFolder(), 'libs/serve/client/generated/api.ts'), 'utf8');
    // When this fails: npm run documents
    const declared = { routes: declaredRoutes(features), channels: declaredChannels(features) };
    expect(await clientTypes({ name: 'Api', ...declared })).toBe(committed);
  });
});

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

  it('has a whole example of every answer and every body, and each is valid', () => {
    const document = parse(apiDocument(routes));
    expect(invalidExamples(document)).toEqual({ compared: expect.any(Number), problems: [] });
    expect(invalidExamples(document).compared).toBeGreaterThan(100);
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
