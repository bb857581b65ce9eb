import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '#libs/platform/program-version.js';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import { isTextAnswer, type RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { type PayloadClass, propertiesOf } from '#libs/serve/contract/schema/property.js';

export interface ClientOf {
  /** Begins the names of what is exported: `Api`, `Router`. */
  readonly name: string;
  readonly routes: readonly RouteDeclaration[];
  readonly channels?: readonly ChannelDeclaration[];
}

/**
 * What `libs/serve/client` knows of a listener, written from the declarations: paths, and the types of parameters, bodies and
 * answers by the operation's name, and the channels with their frames. The client may not import the app, so it gets a
 * copy that a spec compares.
 */
export async function clientTypes({ name, routes, channels = [] }: ClientOf): Promise<string> {
  const files = await payloadFiles();
  const used = new Set<string>();
  const named = (type: PayloadClass | undefined): string => {
    if (type === undefined) return 'object';
    used.add(type.name);
    return type.name;
  };
  const described = [...routeTypes(name, routes, named), ...(channels.length === 0 ? [] : liveTypes(channels, named))];
  const imports = [...used].sort().map((type) => {
    const file = files.get(type);
    if (file === undefined) throw new Error(`${type} is not in libs/protocol`);
    return `import type { ${type} } from '#${file}';`;
  });
  return [
    '// Made from the declarations of routes and channels by `npm run documents`: not to be edited.',
    ...[...imports, ...described, ''],
  ].join('\n');
}

type Named = (type: PayloadClass | undefined) => string;

function routeTypes(name: string, routes: readonly RouteDeclaration[], named: Named): string[] {
  const answers = routes.filter(({ answer }) => !isTextAnswer(answer));
  const shapes = answers.map(({ id, parameters, query, body, answer }) => {
    const taken = `path: ${named(parameters)}; query: ${named(query)};`;
    const sent = body === undefined ? '' : ` body: ${body.map(named).join(' | ')};`;
    return `  ${id}: { ${taken}${sent} answer: ${named(answer as PayloadClass)} };`;
  });
  return [
    '',
    '/** Parameters and answer of every route that answers JSON, by the name of its operation. */',
    `export interface ${name}Routes {`,
    ...shapes,
    '}',
    '',
    `export const ${name.toLowerCase()}Paths: Readonly<Record<keyof ${name}Routes, string>> = {`,
    ...answers.map(({ id, path }) => `  ${id}: '${path}',`),
    '};',
  ];
}

function liveTypes(channels: readonly ChannelDeclaration[], named: Named): string[] {
  const live = channels.map(({ name, parameters, frames }) => {
    const kinds = frames.map(({ type, payload }) => `${type}: ${named(payload)}`);
    return `  ${name}: { parameters: ${named(parameters)}; frames: { ${kinds.join('; ')} } };`;
  });
  const types = channels.map(({ name, frames }) => `  ${name}: [${frames.map(({ type }) => `'${type}'`).join(', ')}],`);
  const objects = channels.map(({ name, frames }) => {
    const whole = frames.filter(({ payload }) => !isList(payload));
    return `  ${name}: [${whole.map(({ type }) => `'${type}'`).join(', ')}],`;
  });
  return [
    '',
    '/** Parameters and frames with rows of every live channel. */',
    'export interface LiveChannels {',
    ...live,
    '}',
    '',
    '/** Types of the frames with rows, by channel. */',
    'export const liveFrames: Readonly<Record<keyof LiveChannels, readonly string[]>> = {',
    ...types,
    '};',
    '',
    '/** Those of them whose data is one object, or null, and no list. */',
    'export const liveObjects: Readonly<Record<keyof LiveChannels, readonly string[]>> = {',
    ...objects,
    '};',
  ];
}

const isList = (payload: PayloadClass): boolean =>
  propertiesOf(payload).some(({ name, schema }) => name === 'data' && schema(() => ({})).type === 'array');

/** Where each payload class is exported from. */
async function payloadFiles(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of ['libs/serve/contract/rest', 'libs/serve/contract/live']) {
    for (const name of await readdir(join(projectFolder(), folder), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
      const text = await readFile(join(projectFolder(), folder, name), 'utf8');
      for (const [, type] of text.matchAll(/^export class (\w+)/gm)) {
        if (found.has(type!)) throw new Error(`two payload classes are called ${type}`);
        found.set(type!, `${folder}/${name.replace(/\.ts$/, '.js')}`);
      }
    }
  }
  return found;
}
