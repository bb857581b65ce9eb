// Import boundaries: who may import whom. The rules are data; the scanner reads import and export specifiers (static,
// dynamic and require) of every source file. Specs and test folders may import anything but other apps' insides.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Layers from the inside out: a layer imports only itself and the layers it names. */
export const layers = [
  { folder: 'libs/core', may: [] },
  { folder: 'libs/protocol', may: ['libs/core'] },
  { folder: 'libs/projections', may: ['libs/core', 'libs/protocol', 'libs/state'] },
  { folder: 'libs/amm', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/platform', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/outbound', may: ['libs/core'] },
  { folder: 'libs/live', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/event-log', may: ['libs/core', 'libs/protocol'] },
  { folder: 'libs/state', may: ['libs/core'] },
  { folder: 'libs/store', may: ['libs/core', 'libs/protocol', 'libs/projections', 'libs/fold'] },
  { folder: 'libs/fold', may: ['libs/core', 'libs/protocol', 'libs/projections', 'libs/amm', 'libs/state'] },
  { folder: 'libs/chains', may: ['libs/core', 'libs/protocol', 'libs/amm'] },
  { folder: 'libs/market-ports', may: ['libs/core', 'libs/protocol', 'libs/amm', 'libs/chains'] },
  { folder: 'libs/venues', may: ['libs/core', 'libs/protocol', 'libs/amm', 'libs/chains', 'libs/market-ports'] },
  { folder: 'libs/launchpads', may: ['libs/core', 'libs/protocol', 'libs/amm', 'libs/chains', 'libs/market-ports'] },
  {
    folder: 'libs/catalogue',
    may: ['libs/core', 'libs/protocol', 'libs/chains', 'libs/market-ports', 'libs/venues', 'libs/launchpads'],
  },
  { folder: 'libs/http', may: ['libs/core', 'libs/protocol', 'libs/platform', 'libs/accounts'] },
  { folder: 'libs/accounts', may: ['libs/core', 'libs/protocol', 'libs/event-log'] },
  {
    folder: 'libs/reader',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/projections',
      'libs/event-log',
      'libs/store',
      'libs/fold',
      'libs/amm',
      'libs/chains',
      'libs/market-ports',
    ],
  },
  {
    folder: 'libs/pools',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/amm',
      'libs/projections',
      'libs/event-log',
      'libs/chains',
      'libs/market-ports',
      'libs/state',
    ],
  },
  {
    folder: 'libs/routing',
    may: ['libs/core', 'libs/protocol', 'libs/amm', 'libs/chains', 'libs/market-ports', 'libs/pools'],
  },
  { folder: 'libs/backends', may: ['libs/core', 'libs/protocol', 'libs/platform', 'libs/event-log', 'libs/store'] },
  { folder: 'libs/saved-state', may: ['libs/core', 'libs/protocol', 'libs/chains', 'libs/state'] },
  {
    folder: 'libs/sink',
    may: ['libs/core', 'libs/protocol', 'libs/projections', 'libs/platform', 'libs/event-log', 'libs/store'],
  },
  {
    folder: 'libs/operations',
    may: [
      'libs/accounts',
      'libs/core',
      'libs/protocol',
      'libs/platform',
      'libs/projections',
      'libs/event-log',
      'libs/fold',
      'libs/store',
      'libs/sink',
      'libs/saved-state',
      'libs/state',
    ],
  },
  {
    folder: 'libs/app',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/platform',
      'libs/event-log',
      'libs/store',
      'libs/backends',
      'libs/accounts',
      'libs/operations',
    ],
  },
  { folder: 'libs/client', may: ['libs/protocol'] },
  { folder: 'programs', may: ['libs/core', 'libs/chains', 'libs/amm'] },
  { folder: 'libs/chain-builder', may: ['libs/core', 'libs/amm', 'libs/chains'] },
  { folder: 'libs/chain-replay', may: ['libs/core', 'libs/chains', 'libs/chain-builder'] },
  { folder: 'libs/chain-faults', may: ['libs/core', 'libs/chains', 'libs/chain-builder', 'libs/chain-replay'] },
  {
    folder: 'libs/devnet',
    may: [
      'libs/core',
      'libs/protocol',
      'libs/chains',
      'libs/venues',
      'libs/launchpads',
      'libs/amm',
      'libs/chain-builder',
      'programs',
    ],
  },
];

/** Generators, oracles and worlds of the specs: they may import anything, only specs, test folders and benchmarks import them. */
export const testing = { folder: 'libs/testing', onlyIn: ['bench'] };

/** The app that composes the others in one process: it alone imports apps, and no app imports it. */
const composition = 'apps/all-in-one';

/** The console runs in a browser: it knows the API through its client and the shapes of its answers alone. */
const consoleLayer = { folder: 'apps/console', may: ['libs/client', 'libs/protocol/rest'] };

/** Packages that only some folders may know. `package` matches the name itself and everything below it. */
export const packages = [
  { package: 'kafkajs', onlyIn: ['libs/event-log', 'bench'] },
  { package: 'lmdb', onlyIn: ['libs/event-log', 'libs/state', 'bench'] },
  { package: 'sharp', onlyIn: ['libs/outbound'] },
  { package: 'chdb', onlyIn: ['libs/store', 'bench'] },
  { package: '@clickhouse', onlyIn: ['libs/store', 'bench'] },
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
export const siblings = ['libs/venues', 'libs/launchpads', 'libs/projections'];

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
    const stated = parent === 'libs/projections' && /\/(projection|test\/oracle)\.[jt]s$/.test(path);
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
