import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { specsOfTheChains } from './chain-dependents.js';
import type { AddedLine, TreeCopy } from './tree-copy.js';

/**
 * A toy that is added by a recipe of docs/recipes. Its new files are in a folder of `fixtures`, by their paths in the tree, where
 * `NNNN` is what `names.number` says.
 */
export interface Addition {
  readonly recipe: string;
  /** The folder of its files; the recipe's name without it. A recipe for two apps has a toy in each. */
  readonly fixtures?: string;
  /** The values of the placeholders of the recipe's paths. */
  readonly names: Readonly<Record<string, string>>;
  readonly lines: readonly AddedLine[];
  /** Commands that the recipe names for its generated files. */
  readonly generate?: readonly (readonly string[])[];
  /** Specs that must pass in the tree with the addition: its own, and the suites over every entry of its registry. */
  readonly specs: readonly string[];
  /** Other specs of the tree that must pass with this addition alone: what `npm test` runs of them. */
  readonly dependents?: (tree: TreeCopy) => Promise<string[]>;
}

export const additions: readonly Addition[] = [
  {
    recipe: 'chain',
    names: { chain: 'toychain' },
    lines: [
      {
        file: 'libs/chain/chains/registry.ts',
        after: '  chaind,',
        line: '  toychain,',
        imports: "import { toychain } from './toychain/chain.js';",
      },
    ],
    generate: [['scripts/documents.mjs']],
    specs: ['libs/chain/chains/toychain', 'libs/chain/catalogue'],
    dependents: specsOfTheChains,
  },
  {
    recipe: 'evm-venue',
    names: { venue: 'toy-pair', chain: 'chaind' },
    lines: [
      {
        file: 'libs/chain/venues/evm-registry.ts',
        after: '  uniswapV2,',
        line: '  toyPair,',
        imports: "import { toyPair } from './toy-pair/venue.js';",
      },
      {
        file: 'libs/chain/chains/chaind/chain.ts',
        after: '  venues: [',
        line: "    { venue: 'toy-pair', factory: '5555555555555555555555555555555555555555', sources: [] },",
      },
    ],
    specs: ['libs/chain/venues/toy-pair', 'libs/chain/catalogue'],
  },
  {
    recipe: 'solana-venue',
    names: { venue: 'toy-swap' },
    lines: [
      {
        file: 'libs/chain/venues/solana-registry.ts',
        after: 'pumpSwapVenue,',
        line: '  toySwapVenue,',
        imports: "import { toySwapVenue } from './toy-swap/venue.js';",
      },
    ],
    specs: ['libs/chain/venues/toy-swap', 'libs/chain/venues/solana-registry'],
  },
  {
    recipe: 'launchpad',
    names: { launchpad: 'toy-pad' },
    lines: [
      {
        file: 'libs/chain/launchpads/solana-registry.ts',
        after: 'pumpFunLaunchpad,',
        line: '  toyPadLaunchpad,',
        imports: "import { toyPadLaunchpad } from './toy-pad/launchpad.js';",
      },
    ],
    specs: ['libs/chain/launchpads/toy-pad', 'libs/chain/launchpads/solana-registry'],
  },
  {
    recipe: 'route',
    names: { app: 'api', feature: 'status', route: 'toy' },
    lines: [
      {
        file: 'apps/api/src/status/status.feature.ts',
        after: 'routes: [',
        line: 'ToyRoute, ',
        inside: true,
        imports: "import { ToyRoute } from './toy.route.js';",
      },
    ],
    generate: [['scripts/documents.mjs']],
    specs: ['apps/api/test/toy.spec', 'apps/api/test/document'],
  },
  {
    recipe: 'route',
    fixtures: 'router-route',
    names: { app: 'router', feature: 'status', route: 'router-toy' },
    lines: [
      {
        file: 'apps/router/src/status/status.feature.ts',
        after: 'routes: [',
        line: 'RouterToyRoute, ',
        inside: true,
        imports: "import { RouterToyRoute } from './router-toy.route.js';",
      },
    ],
    generate: [['scripts/documents.mjs']],
    specs: ['apps/router/test/router-toy.spec', 'apps/router/test/document'],
  },
  {
    recipe: 'channel',
    names: { channel: 'toys' },
    lines: [
      {
        file: 'apps/api/src/features.ts',
        after: '  CandlesFeature,',
        line: '  ToysFeature,',
        imports: "import { ToysFeature } from './toys/toys.feature.js';",
      },
    ],
    generate: [['scripts/documents.mjs']],
    specs: ['apps/api/test/toys'],
  },
  {
    recipe: 'projection',
    names: { projection: 'toys', number: nextMigration() },
    lines: [
      {
        file: 'libs/pipeline/projections/registry.ts',
        after: '  transfers,',
        line: '  toys,',
        imports: "import { toys } from './toys/projection.js';",
      },
      {
        file: 'libs/pipeline/fold/fold-version.ts',
        after: 'export const foldVersion',
        line: (found) => found.replace(/\d+/, (version) => String(Number(version) + 1)),
      },
    ],
    specs: ['libs/pipeline/projections/toys', 'libs/pipeline/store/market/schema'],
  },
];

/** The number that the next migration takes, as its file is named. */
function nextMigration(): string {
  const files = readdirSync(join(process.cwd(), 'libs/pipeline/store/migrations')).filter((file) =>
    file.endsWith('.sql'),
  );
  return String(Math.max(...files.map((file) => Number.parseInt(file, 10))) + 1).padStart(4, '0');
}
