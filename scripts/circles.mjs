// No circles in the import graph: between files, and between folders. Type-only imports count as well: a circle of types
// means that neither side can be read, moved or tested without the other.
//
// A folder is a layer (`libs/<name>`, `apps/<name>`, `programs`) and, inside one, each direct sub-folder; a file at the top of a layer
// is a unit of its own. Specs and test folders are left out of the folders' graph: they may import anything.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { importsOf, isTest, sourceFiles, target } from './boundaries.mjs';

/** Importers and what they import, as paths of the project; packages and files that do not exist are left out. */
export function fileGraph(root, files = sourceFiles(root), read = (file) => readFileSync(join(root, file), 'utf8')) {
  const known = new Set(files);
  const resolved = (path) => {
    const stem = path.replace(/\.jsx?$/, '');
    return [`${stem}.ts`, `${stem}.tsx`, path].find((candidate) => known.has(candidate));
  };
  return new Map(
    files.map((file) => {
      const paths = importsOf(read(file)).map((specifier) => target(file, specifier));
      const imported = paths.flatMap((path) => (path === null ? [] : (resolved(path) ?? [])));
      return [file, new Set(imported.filter((path) => path !== file))];
    }),
  );
}

const isProduct = (file) => !isTest(file) && /^(libs|apps|programs)\//.test(file);

/** The layer of a product file: `libs/<name>`, `apps/<name>`, `programs`; the file itself at the top of `apps`. */
const layerOf = (file) => /^(?:(?:libs|apps)\/[^/]+|programs)(?=\/)/.exec(file)?.[0] ?? file;

/** The unit of a product file inside its layer: a direct sub-folder, or the file itself. */
function unitOf(file) {
  const layer = layerOf(file);
  if (layer === file) return file;
  const base = file.startsWith(`${layer}/src/`) ? `${layer}/src` : layer;
  const [child, ...rest] = file.slice(base.length + 1).split('/');
  return rest.length === 0 ? file : `${base}/${child}`;
}

/** The graph over `nameOf` of the product files: layers, or units. `counts` leaves imports out. */
function folderGraph(files, nameOf, counts = () => true) {
  const graph = new Map();
  for (const [file, imported] of files) {
    if (!isProduct(file)) continue;
    const from = nameOf(file);
    if (!graph.has(from)) graph.set(from, new Set());
    for (const path of imported) {
      if (isProduct(path) && nameOf(path) !== from && counts(file, path)) graph.get(from).add(nameOf(path));
    }
  }
  return graph;
}

/** The layers of the product and what each imports of the others. */
export const layerGraph = (files) => folderGraph(files, layerOf);

/** Sets of nodes that reach each other (Tarjan), without those of one node. */
export function components(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const members = stack.splice(stack.indexOf(node));
    if (members.length > 1) found.push(members);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** A shortest circle through a component, closed by its first node. */
function shortestCircle(graph, members) {
  const inside = new Set(members);
  let best = null;
  for (const start of members) {
    const from = new Map([[start, null]]);
    const open = [start];
    for (const node of open) {
      const next = [...graph.get(node)].filter((other) => inside.has(other));
      if (next.includes(start)) {
        const path = [start];
        for (let at = node; at !== null; at = from.get(at)) path.unshift(at);
        if (best === null || path.length < best.length) best = path;
        break;
      }
      for (const other of next) {
        if (from.has(other)) continue;
        from.set(other, node);
        open.push(other);
      }
    }
  }
  return best;
}

const ARROW = ' -> ';

/** The circles of one graph, each as its shortest. `example` names an import between two nodes. */
function circlesOf(graph, what, example, ignored = () => false) {
  return components(graph)
    .filter((members) => !ignored(members))
    .map((members) => {
      const path = shortestCircle(graph, members);
      const steps = path.slice(0, -1).map((from, at) => example(from, path[at + 1]));
      return [`circle of ${what}:`, ...steps].join('\n  ');
    });
}

/** Every circle, import by import. */
export function checkCircles(root, files = fileGraph(root)) {
  const between = (nameOf) => (from, to) => {
    const inside = [...files].filter(([file]) => !isTest(file) && nameOf(file) === from);
    for (const [file, imported] of inside) {
      const path = [...imported].find((candidate) => !isTest(candidate) && nameOf(candidate) === to);
      if (path !== undefined)
        return from === file && to === path
          ? `${from}${ARROW}${to}`
          : `${from}${ARROW}${to}  (${file} imports ${path})`;
    }
    return `${from}${ARROW}${to}`;
  };
  return [
    ...circlesOf(files, 'files', (from, to) => `${from}${ARROW}${to}`),
    ...circlesOf(folderGraph(files, layerOf), 'layers', between(layerOf)),
    // Across layers a circle of folders is one of layers, which was found above.
    ...circlesOf(
      folderGraph(files, unitOf, (from, to) => layerOf(from) === layerOf(to)),
      'folders',
      between(unitOf),
      (members) =>
        // A circle of files at the top of a layer was found above.
        members.every((unit) => files.has(unit)),
    ),
  ];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ? resolve(process.argv[2]) : resolve(dirname(fileURLToPath(import.meta.url)), '..');
  const found = checkCircles(root);
  for (const line of found) console.error(line);
  console.log(found.length === 0 ? 'no circle in the imports' : `${found.length} findings`);
  process.exit(found.length === 0 ? 0 : 1);
}
