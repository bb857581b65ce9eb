// Import boundaries and circles, read by dependency-cruiser with the rules of `.dependency-cruiser.mjs`.
//   node scripts/imports.mjs [root]
//
// Circles between folders are looked for here, over the imports that dependency-cruiser found. Its rules of `scope: 'folder'`
// compare a folder with the direct folders of what it imports: they miss a circle whose ends are in different sub-folders, and
// one between a folder and a file next to it. The rule here is exact at every depth: the children of a folder (each sub-folder,
// and each file of its own) form a graph by the imports of the files in them, and no such graph has a circle. Specs and test
// folders are left out: they may import anything.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';
import { isTest } from './lib/source-files.mjs';

const FOLDERS = ['apps', 'libs', 'programs', 'bench', 'test', 'scripts', 'docs'];

/** What dependency-cruiser found: every file with its imports, and every broken rule. */
async function cruised(root) {
  const { options, ...ruleSet } = config;
  const found = await cruise(
    FOLDERS.filter((folder) => existsSync(join(root, folder))),
    { ...options, baseDir: root, validate: true, ruleSet },
    {
      // The `imports` of package.json name what is built; here the sources are read.
      alias: Object.fromEntries(['libs', 'apps', 'programs'].map((name) => [`#${name}`, join(root, name)])),
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  );
  return found.output;
}

const isProduct = (file) => /^(apps|libs|programs)\//.test(file) && !isTest(file);

/** For each folder: its children, what each imports of the others, and by which import. */
function childrenGraphs(modules) {
  const graphs = new Map();
  const imports = modules.flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => [source, resolved]));
  for (const [source, target] of imports) {
    const [from, to] = [source.split('/'), target.split('/')];
    const depth = from.findIndex((part, at) => part !== to[at]);
    if (depth < 1 || !isProduct(source) || !isProduct(target)) continue;
    const folder = from.slice(0, depth).join('/');
    if (!graphs.has(folder)) graphs.set(folder, new Map());
    const graph = graphs.get(folder);
    for (const child of [from[depth], to[depth]]) if (!graph.has(child)) graph.set(child, new Map());
    graph.get(from[depth]).set(to[depth], `${source} imports ${target}`);
  }
  return graphs;
}

/** A shortest circle of a graph, closed by its first node; null without one. */
function shortestCircle(graph) {
  let best = null;
  for (const start of graph.keys()) {
    const cameFrom = new Map();
    const open = [start];
    for (const node of open) {
      for (const next of graph.get(node).keys()) {
        if (cameFrom.has(next)) continue;
        cameFrom.set(next, node);
        open.push(next);
      }
    }
    if (!cameFrom.has(start)) continue;
    const path = [start];
    do path.unshift(cameFrom.get(path[0]));
    while (path[0] !== start);
    if (best === null || path.length < best.length) best = path;
  }
  return best;
}

/** The circles between the children of each folder, as lines: the shortest of each folder, import by import. */
export function folderCircles(modules) {
  const lines = [];
  for (const [folder, graph] of childrenGraphs(modules)) {
    const circle = shortestCircle(graph);
    if (circle === null) continue;
    lines.push(`circle in ${folder}: ${circle.join(' -> ')}`);
    for (const [at, child] of circle.slice(0, -1).entries()) lines.push(`  ${graph.get(child).get(circle[at + 1])}`);
  }
  return lines;
}

const broken = ({ from, to, rule, cycle }) =>
  cycle
    ? `${rule.name}: ${[from, ...cycle.map(({ name }) => name)].join(' -> ')}`
    : `${from} imports ${to}: ${rule.name}`;

/** Every broken rule and every circle, as lines. */
export async function checkImports(root) {
  const { modules, summary } = await cruised(root);
  return [...summary.violations.map(broken), ...folderCircles(modules)];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = await checkImports(resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..')));
  for (const line of found) console.error(line);
  console.log(found.length === 0 ? 'import boundaries hold, no circle' : `${found.length} lines of findings`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
