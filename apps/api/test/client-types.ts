import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTextAnswer, type RouteDeclaration } from '#libs/http/route-declaration.js';
import type { ChannelDeclaration } from '#libs/live/channel-declaration.js';
import { projectFolder } from '#libs/platform/program-version.js';
import type { PayloadClass } from '#libs/protocol/schema/property.js';

/**
 * What `libs/client` knows of the api, written from the declarations: paths, and the types of parameters and answers by
 * the operation's name, and the channels with their frames. The client may not import the app, so it gets a copy that a
 * spec compares.
 */
export async function clientTypes(
  routes: readonly RouteDeclaration[],
  channels: readonly ChannelDeclaration[],
): Promise<string> {
  const files = await payloadFiles();
  const used = new Set<string>();
  const named = (type: PayloadClass | undefined): string => {
    if (type === undefined) return 'object';
    used.add(type.name);
    return type.name;
  };
  const answers = routes.filter(({ answer }) => !isTextAnswer(answer));
  const shapes = answers.map(
    ({ id, parameters, query, answer }) =>
      `  ${id}: { path: ${named(parameters)}; query: ${named(query)}; answer: ${named(answer as PayloadClass)} };`,
  );
  const paths = answers.map(({ id, path }) => `  ${id}: '${path}',`);
  const live = channels.map(({ name, parameters, frames }) => {
    const kinds = frames.map(({ type, payload }) => `${type}: ${named(payload)}`);
    return `  ${name}: { parameters: ${named(parameters)}; frames: { ${kinds.join('; ')} } };`;
  });
  const types = channels.map(({ name, frames }) => `  ${name}: [${frames.map(({ type }) => `'${type}'`).join(', ')}],`);
  const imports = [...used].sort().map((name) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`${name} is not in libs/protocol`);
    return `import type { ${name} } from '#${file}';`;
  });
  return [
    '// Made from the declarations of routes and channels by `npm run documents`: not to be edited.',
    ...imports,
    '',
    '/** Parameters and answer of every route that answers JSON, by the name of its operation. */',
    'export interface ApiRoutes {',
    ...shapes,
    '}',
    '',
    'export const apiPaths: Readonly<Record<keyof ApiRoutes, string>> = {',
    ...paths,
    '};',
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
  ].join('\n');
}

/** Where each payload class is exported from. */
async function payloadFiles(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of ['libs/protocol/rest', 'libs/protocol/live']) {
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
