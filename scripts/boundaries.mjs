// Import boundaries: who may import whom. The rules are data; the scanner reads import and export specifiers (static,
// dynamic and require) of every source file. Specs and test folders may import anything but other apps' insides.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Layers from the inside out: a layer imports only itself and the layers it names. */
export const layers = [
  { folder: 'libs/core', may: [] },
  { folder: 'libs/protocol', may: ['libs/core'] },
  { folder: 'libs/pipeline/projections', may: ['libs/core', 'libs/protocol', 'libs/pipeline/state'] },
  { folder: 'libs/chain/amm', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/platform', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/platform/outbound', may: ['libs/core'] },
  { folder: 'libs/serve/live', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/pipeline/event-log', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/pipeline/state', may: ['libs/core'] },
  {
    folder: 'libs/pipeline/store',
    may: ['libs/core', 'libs/protocol', 'libs/pipeline/projections', 'libs/pipeline/fold'],
  },
  {
    folder: 'libs/pipeline/fold',
    may: ['libs/core', 'libs/protocol', 'libs/pipeline/projections', 'libs/chain/amm', 'libs/pipeline/state'],
  },
  { folder: 'libs/chain/chains', may: ['libs/core', 'libs/protocol', 'libs/chain/amm'] },
  { folder: 'libs/chain/market-ports', may: ['libs/core', 'libs/protocol', 'libs/chain/amm', 'libs/chain/chains'] },
  {
    folder: 'libs/chain/venues',
    may: ['libs/core', 'libs/protocol', 'libs/chain/amm', 'libs/chain/chains', 'libs/chain/market-ports'],
  },
  {
    folder: 'libs/chain/launchpads',
    may: ['libs/core', 'libs/protocol', 'libs/chain/amm', 'libs/chain/chains', 'libs/chain/market-ports'],
  },
  {
    folder: 'libs/chain/catalogue',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/chain/chains',
      'libs/chain/market-ports',
      'libs/chain/venues',
      'libs/chain/launchpads',
    ],
  },
  { folder: 'libs/serve/http', may: ['libs/core', 'libs/protocol', 'libs/platform', 'libs/serve/accounts'] },
  { folder: 'libs/serve/accounts', may: ['libs/core', 'libs/protocol', 'libs/pipeline/event-log'] },
  {
    folder: 'libs/serve/reader',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/pipeline/projections',
      'libs/pipeline/event-log',
      'libs/pipeline/store',
      'libs/pipeline/fold',
      'libs/chain/amm',
      'libs/chain/chains',
      'libs/chain/market-ports',
    ],
  },
  {
    folder: 'libs/routing/pools',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/chain/amm',
      'libs/pipeline/projections',
      'libs/pipeline/event-log',
      'libs/chain/chains',
      'libs/chain/market-ports',
      'libs/pipeline/state',
    ],
  },
  {
    folder: 'libs/routing/search',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/chain/amm',
      'libs/chain/chains',
      'libs/chain/market-ports',
      'libs/routing/pools',
    ],
  },
  {
    folder: 'libs/app/backends',
    may: ['libs/core', 'libs/protocol', 'libs/platform', 'libs/pipeline/event-log', 'libs/pipeline/store'],
  },
  {
    folder: 'libs/pipeline/state/saved',
    may: ['libs/core', 'libs/protocol', 'libs/chain/chains', 'libs/pipeline/state'],
  },
  {
    folder: 'libs/pipeline/sink',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/pipeline/projections',
      'libs/platform',
      'libs/pipeline/event-log',
      'libs/pipeline/store',
    ],
  },
  {
    folder: 'libs/app/operations',
    may: [
      'libs/serve/accounts',
      'libs/core',
      'libs/protocol',
      'libs/platform',
      'libs/pipeline/projections',
      'libs/pipeline/event-log',
      'libs/pipeline/fold',
      'libs/pipeline/store',
      'libs/pipeline/sink',
      'libs/pipeline/state/saved',
      'libs/pipeline/state',
    ],
  },
  {
    folder: 'libs/app/modules',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/platform',
      'libs/pipeline/event-log',
      'libs/pipeline/store',
      'libs/app/backends',
      'libs/serve/accounts',
      'libs/app/operations',
    ],
  },
  { folder: 'libs/serve/client', may: ['libs/protocol'] },
  { folder: 'programs', may: ['libs/core', 'libs/chain/chains', 'libs/chain/amm'] },
  { folder: 'libs/devkit/chain-builder', may: ['libs/core', 'libs/chain/amm', 'libs/chain/chains'] },
  { folder: 'libs/devkit/chain-replay', may: ['libs/core', 'libs/chain/chains', 'libs/devkit/chain-builder'] },
  {
    folder: 'libs/devkit/chain-faults',
    may: ['libs/core', 'libs/chain/chains', 'libs/devkit/chain-builder', 'libs/devkit/chain-replay'],
  },
  {
    folder: 'libs/devkit/devnet',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/chain/chains',
      'libs/chain/venues',
      'libs/chain/launchpads',
      'libs/chain/amm',
      'libs/devkit/chain-builder',
      'programs',
    ],
  },
];

/** Generators, oracles and worlds of the specs: they may import anything, only specs, test folders and benchmarks import them. */
export const testing = { folder: 'libs/devkit/testing', onlyIn: ['bench'] };

/** The app that composes the others in one process: it alone imports apps, and no app imports it. */
const composition = 'apps/all-in-one';

/** The console runs in a browser: it knows the API through its client and the shapes of its answers alone. */
const consoleLayer = { folder: 'apps/console', may: ['libs/serve/client', 'libs/serve/contract/rest'] };

/** Packages that only some folders may know. `package` matches the name itself and everything below it. */
export const packages = [
  { package: 'kafkajs', onlyIn: ['libs/pipeline/event-log', 'bench'] },
  { package: 'lmdb', onlyIn: ['libs/pipeline/event-log', 'libs/pipeline/state', 'bench'] },
  { package: 'sharp', onlyIn: ['libs/platform/outbound'] },
  { package: 'chdb', onlyIn: ['libs/pipeline/store', 'bench'] },
  { package: '@clickhouse', onlyIn: ['libs/pipeline/store', 'bench'] },
  {
    package: '@nestjs',
    // The command line starts fast, and loads none of it.
    notIn: [
      'apps/cli',
      ...[
        'core',
        'amm',
        'chains',
        'fold',
        'projections',
        'state',
        'venues',
        'launchpads',
        'market-ports',
        'catalogue',
        'live',
        'outbound',
        'reader',
        'event-log',
        'store',
        'platform',
        'saved-state',
        'sink',
        'operations',
        'accounts',
        'devnet',
        'chain-builder',
        'chain-replay',
        'chain-faults',
        'pools',
        'routing',
      ].map((name) => `libs/${name}`),
    ],
  },
];

/**
 * Folders whose children never import each other: one venue, launchpad or projection knows nothing of its siblings. A projection
 * may name another whose rows it reads.
 */
export const siblings = ['libs/chain/venues', 'libs/chain/launchpads', 'libs/pipeline/projections'];

/** The environment is read in one place. Specs, benchmarks and test folders set up their own processes. */
export const environment = { pattern: /\bprocess\.env\b/, onlyIn: ['libs/platform', 'bench'] };

const SPECIFIERS = [
  /\bimport\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"]+)['"]/g,
  /\bexport\s+(?:type\s+)?[\w*{}\s,$]+?\s+from\s+['"]([^'"]+)['"]/g,
  /\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)/g,
];

const inside = (file, folder) => file === folder || file.startsWith(`${folder}/`);
export const isTest = (file) => /\.spec\.tsx?$/.test(file) || /(^|\/)test\//.test(file) || inside(file, testing.folder);
/** Comments gone, strings kept: a specifier named in a comment is no import. */
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');

/** The project path a specifier means, or null for a package. */
export function target(file, specifier) {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(file), specifier));
  return null;
}

export function importsOf(text) {
  const code = withoutComments(text);
  return [...new Set(SPECIFIERS.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1])))];
}

/** Every broken rule of one file, as sentences. */
export function violations(file, text) {
  const found = [];
  const test = isTest(file);
  if (inside(file, 'libs') && !inside(file, testing.folder) && !layers.some(({ folder }) => inside(file, folder))) {
    found.push(`${file} is in no layer: add its folder to scripts/boundaries.mjs`);
  }
  for (const specifier of importsOf(text)) {
    const path = target(file, specifier);
    if (path === null) found.push(...packageRules(file, specifier, test));
    else found.push(...pathRules(file, path, specifier, test));
  }
  if (!test && environment.pattern.test(withoutComments(text)) && !environment.onlyIn.some((f) => inside(file, f))) {
    found.push(`${file} reads process.env; only ${environment.onlyIn.join(' and ')} may`);
  }
  return found;
}

function packageRules(file, specifier, test) {
  return packages
    .filter((rule) => specifier === rule.package || specifier.startsWith(`${rule.package}/`))
    .filter((rule) => {
      if (rule.onlyIn) return !test && !rule.onlyIn.some((folder) => inside(file, folder));
      return rule.notIn.some((folder) => inside(file, folder));
    })
    .map(
      (rule) =>
        `${file} imports ${specifier}${rule.onlyIn ? `; only ${rule.onlyIn.join(', ')} may` : ', which it must not know'}`,
    );
}

function pathRules(file, path, specifier, test) {
  const found = [];
  const app = /^apps\/([^/]+)\//.exec(file)?.[1];
  const otherApp = /^apps\/([^/]+)\//.exec(path)?.[1];
  if (app && otherApp && app !== otherApp && !inside(file, composition))
    found.push(`${file} imports ${specifier}: apps never import apps`);
  if (inside(path, testing.folder) && !test && !testing.onlyIn.some((folder) => inside(file, folder)))
    found.push(`${file} imports ${specifier}: only specs, test folders and ${testing.onlyIn.join(', ')} may`);
  if (inside(file, 'libs') && inside(path, 'apps') && !test)
    found.push(`${file} imports ${specifier}: libs never import apps`);
  const layer = [...layers, consoleLayer].find((candidate) => inside(file, candidate.folder));
  if (layer && (inside(path, 'libs') || inside(path, 'programs')) && !test) {
    const allowed = [layer.folder, ...layer.may].some((folder) => inside(path, folder));
    if (!allowed)
      found.push(`${file} imports ${specifier}: ${layer.folder} may import ${layer.may.join(', ') || 'nothing'}`);
  }
  for (const parent of siblings) {
    const own = childOf(file, parent);
    const other = childOf(path, parent);
    const stated = parent === 'libs/pipeline/projections' && /\/(projection|test\/oracle)\.[jt]s$/.test(path);
    if (own && other && own !== other && !stated)
      found.push(`${file} imports ${specifier}: folders of ${parent} never import each other`);
  }
  return found;
}

/** Name of the child folder of `parent` that holds a path; null for files of the parent itself. */
function childOf(path, parent) {
  if (!path.startsWith(`${parent}/`)) return null;
  const rest = path.slice(parent.length + 1);
  return rest.includes('/') ? rest.split('/')[0] : null;
}

export function sourceFiles(root, folders = ['apps', 'libs', 'programs', 'bench', 'test']) {
  const files = [];
  const visit = (folder) => {
    let entries;
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      if (error.code === 'ENOENT') return;
      throw error;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!['node_modules', 'dist', 'fixtures', 'peers'].includes(entry.name)) visit(path);
      } else if (/\.tsx?$/.test(entry.name)) files.push(relative(root, path).split(sep).join('/'));
    }
  };
  for (const folder of folders) visit(join(root, folder));
  return files.sort();
}

export function checkBoundaries(root) {
  return sourceFiles(root).flatMap((file) => violations(file, readFileSync(join(root, file), 'utf8')));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ? resolve(process.argv[2]) : resolve(dirname(fileURLToPath(import.meta.url)), '..');
  const found = checkBoundaries(root);
  for (const line of found) console.error(line);
  console.log(found.length === 0 ? 'import boundaries hold' : `${found.length} import boundaries broken`);
  process.exit(found.length === 0 ? 0 : 1);
}
