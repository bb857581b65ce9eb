// Who may import whom, as rules of dependency-cruiser. `scripts/imports.mjs` runs them; `npm run check` is red when one is broken.
// Specs and test folders may import anything but the insides of another app, a sibling's insides and a package that their room must
// not know.

/** Specs, test folders, and what they share. */
export const TEST = '\\.spec\\.tsx?$|(^|/)test/|^libs/devkit/testing/';

const base = ['core', 'protocol'];
const market = [...base, 'chain/amm', 'chain/chains', 'chain/market-ports'];

/**
 * What each room of the libraries may import besides itself, one house after the other: a house imports only houses above it in
 * this table. A folder that is no room may import nothing, and no room may import it.
 */
export const rooms = {
  core: [],

  protocol: ['core'],

  platform: base,
  'platform/outbound': ['core'],

  'chain/amm': base,
  'chain/chains': base,
  'chain/market-ports': [...base, 'chain/amm', 'chain/chains'],
  'chain/venues': market,
  'chain/launchpads': market,
  'chain/catalogue': [...base, 'chain/chains', 'chain/market-ports', 'chain/venues', 'chain/launchpads'],

  'pipeline/event-log': base,
  'pipeline/epochs': [...base, 'pipeline/event-log'],
  'pipeline/safety': [...base, 'pipeline/event-log'],
  'pipeline/state': ['core'],
  'pipeline/state/saved': [...base, 'chain/chains', 'pipeline/state'],
  'pipeline/projections': [...base, 'pipeline/state'],
  'pipeline/fold': [...base, 'chain/amm', 'pipeline/state', 'pipeline/projections'],
  'pipeline/store': [...base, 'pipeline/projections', 'pipeline/fold'],
  'pipeline/sink': [
    ...[...base, 'platform', 'pipeline/event-log', 'pipeline/epochs'],
    ...['pipeline/projections', 'pipeline/store'],
  ],

  'routing/pools': [...market, ...['pipeline/event-log', 'pipeline/epochs', 'pipeline/state', 'pipeline/projections']],
  'routing/search': [...market, 'routing/pools'],

  'serve/contract': ['protocol'],
  'serve/contract/documents': ['protocol', 'platform', 'serve/contract'],
  'serve/client': ['protocol', 'serve/contract/rest', 'serve/contract/live'],
  'serve/reader': [
    ...market,
    ...['pipeline/event-log', 'pipeline/projections', 'pipeline/fold', 'pipeline/safety', 'pipeline/store'],
    'serve/contract',
  ],
  'serve/live': [...base, 'serve/contract'],
  'serve/accounts': [...base, 'platform', 'pipeline/event-log'],
  'serve/http': [...base, 'platform', 'serve/contract', 'serve/accounts'],

  'app/backends': [...base, 'platform', 'pipeline/event-log', 'pipeline/store'],
  'app/operations': [
    ...[...base, 'platform', 'pipeline/event-log', 'pipeline/epochs', 'pipeline/state', 'pipeline/state/saved'],
    ...['pipeline/projections', 'pipeline/fold', 'pipeline/store', 'pipeline/sink'],
    ...['serve/contract', 'serve/accounts'],
  ],
  'app/modules': [
    ...[...base, 'platform', 'chain/chains', 'pipeline/event-log', 'pipeline/store', 'serve/accounts'],
    ...['app/backends', 'app/operations'],
  ],
  app: [...base, 'platform', 'app/modules'],

  'devkit/chain-builder': ['core', 'chain/amm', 'chain/chains'],
  'devkit/chain-replay': ['core', 'chain/chains', 'devkit/chain-builder'],
  'devkit/chain-faults': ['core', 'chain/chains', 'devkit/chain-builder', 'devkit/chain-replay'],
  'devkit/devnet': [
    ...[...base, 'chain/amm', 'chain/chains', 'chain/venues', 'chain/launchpads'],
    ...['devkit/chain-builder', '^programs/'],
  ],
};

/** Packages that only some folders may import. Specs and test folders may as well, but where `inSpecs` is false. */
export const packages = [
  { name: 'kafkajs', onlyIn: ['libs/pipeline/event-log', 'bench'] },
  { name: 'lmdb', onlyIn: ['libs/pipeline/event-log', 'libs/pipeline/state', 'bench'] },
  { name: 'sharp', onlyIn: ['libs/platform/outbound'] },
  { name: 'chdb', onlyIn: ['libs/pipeline/store', 'bench'] },
  { name: '@clickhouse', onlyIn: ['libs/pipeline/store', 'bench'] },
  {
    // The command line starts fast, and loads none of it.
    name: '@nestjs',
    onlyIn: [
      ...['apps/all-in-one', 'apps/api', 'apps/ingest', 'apps/router'],
      ...['libs/app', 'libs/serve/http', 'libs/devkit/testing', 'bench', 'test'],
    ],
    inSpecs: false,
  },
];

/** The files of a room, without those of a room inside it. An entry that starts with `^` is a pattern already. */
function filesOf(room) {
  if (room.startsWith('^')) return room;
  const inner = Object.keys(rooms).filter((other) => other.startsWith(`${room}/`));
  return `^libs/${room}/${inner.map((other) => `(?!${other.slice(room.length + 1)}/)`).join('')}`;
}

const SOURCES = '^(apps|libs|programs|bench|test|scripts)/';

/** What the product files of a folder may import besides themselves. */
const only = (folder, from, may) => ({
  name: `${folder} may import ${may.length === 0 ? 'nothing' : `only ${may.join(', ').replaceAll('^', '')}`}`,
  severity: 'error',
  from: { path: from, pathNot: TEST },
  to: { path: SOURCES, pathNot: [from, ...may.map(filesOf)] },
});

const never = (name, from, to) => ({ name, severity: 'error', from, to });

const siblings = (parent, stated = []) =>
  never(
    `folders of ${parent} never import each other`,
    { path: `^${parent}/([^/]+)/` },
    { path: `^${parent}/[^/]+/`, pathNot: [`^${parent}/$1/`, ...stated] },
  );

export default {
  forbidden: [
    never('no circle between files', {}, { circular: true }),

    ...Object.entries(rooms).map(([room, may]) => only(`libs/${room}`, filesOf(room), may)),
    never(
      'a folder of libs is a room of .dependency-cruiser.mjs',
      { path: '^libs/', pathNot: [TEST, ...Object.keys(rooms).map(filesOf)] },
      {},
    ),
    only('programs', '^programs/', ['core', 'chain/amm', 'chain/chains']),
    // The console runs in a browser: it knows the API through its client and the shapes of its answers.
    only('apps/console', '^apps/console/', ['serve/client', '^libs/serve/contract/rest/']),
    never(
      'apps/console may import only types of libs/serve/contract/rest',
      { path: '^apps/console/', pathNot: TEST },
      { path: '^libs/serve/contract/rest/', dependencyTypesNot: ['type-only'] },
    ),

    // The app that composes the others in one process imports them, and no app imports it.
    never(
      'apps never import apps',
      { path: '^apps/([^/]+)/', pathNot: '^apps/all-in-one/' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    never(
      'only apps/all-in-one may import libs/devkit, for the demo',
      { path: '^apps/', pathNot: [TEST, '^apps/all-in-one/'] },
      { path: '^libs/devkit/' },
    ),
    never('only specs, test folders and bench may import tests', { pathNot: [TEST, '^bench/'] }, { path: TEST }),

    // One venue, launchpad or projection knows nothing of its siblings. A projection may name another whose rows it reads.
    siblings('libs/chain/venues'),
    siblings('libs/chain/launchpads'),
    siblings('libs/pipeline/projections', ['/(projection|test/oracle)\\.ts$']),

    ...packages.map(({ name, onlyIn, inSpecs = true }) =>
      never(
        `only ${onlyIn.join(', ')} may import ${name}`,
        { path: SOURCES, pathNot: [...onlyIn.map((folder) => `^${folder}/`), ...(inSpecs ? [TEST] : [])] },
        { path: `(^|node_modules/)${name}(/|$)` },
      ),
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|fixtures|peers)/' },
    // Imports of types alone count: a circle of types is one too.
    tsPreCompilationDeps: true,
    preserveSymlinks: true,
    skipAnalysisNotInRules: true,
  },
};
