// Draws the folders of the project from the imports of their files, as a Mermaid chart in docs/architecture.md.
//   node scripts/draw-rooms.mjs          compares the chart in the document with the imports; exits with 1 when they differ
//   node scripts/draw-rooms.mjs --write  writes it
// An arrow means "imports". Arrows that follow from others are left out: where a imports b, b imports c, and a imports c, the
// arrow from a to c is not drawn.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fileGraph, layerGraph } from './circles.mjs';

const DOCUMENT = 'docs/architecture.md';
const START = '<!-- Drawn from the imports by scripts/draw-rooms.mjs --write; npm run check compares it. -->';
const END = '<!-- End of the drawing. -->';

/** What can be reached from a node, the node itself left out unless it lies on a circle. */
function reachable(graph, from) {
  const seen = new Set();
  const open = [...(graph.get(from) ?? [])];
  while (open.length > 0) {
    const node = open.pop();
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...(graph.get(node) ?? []));
  }
  return seen;
}

/** The graph without the arrows that follow from others. Only a graph without circles has one such drawing. */
export function withoutShortcuts(graph) {
  const reach = new Map([...graph.keys()].map((node) => [node, reachable(graph, node)]));
  return new Map(
    [...graph].map(([from, targets]) => {
      const follows = (to) => [...targets].some((other) => other !== to && reach.get(other)?.has(to));
      return [from, [...targets].filter((to) => !follows(to)).sort()];
    }),
  );
}

/** How many steps the longest way down from each node has: its floor in the drawing. */
function floors(graph) {
  const known = new Map();
  const floorOf = (node) => {
    if (known.has(node)) return known.get(node);
    known.set(node, 0);
    const below = [...(graph.get(node) ?? [])].map(floorOf);
    const floor = below.length === 0 ? 0 : Math.max(...below) + 1;
    known.set(node, floor);
    return floor;
  };
  for (const node of graph.keys()) floorOf(node);
  return known;
}

export function drawing(graph) {
  const arrows = withoutShortcuts(graph);
  const floor = floors(graph);
  const nodes = [...graph.keys()].sort((a, b) => floor.get(b) - floor.get(a) || (a < b ? -1 : 1));
  const id = (name) => name.replace(/[^A-Za-z0-9]/g, '_');
  const box = (name) => (name.startsWith('apps') ? `${id(name)}([${name}])` : `${id(name)}[${name}]`);
  return [
    '```mermaid',
    'flowchart TD',
    ...nodes.map((name) => `  ${box(name)}`),
    ...nodes.flatMap((from) => arrows.get(from).map((to) => `  ${id(from)} --> ${id(to)}`)),
    '```',
  ].join('\n');
}

/** The document with the drawing of today, and whether that changes it. */
export function drawInto(text, chart) {
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} lacks the marks of the drawing:\n${START}\n${END}`);
  const drawn = `${text.slice(0, from)}${START}\n\n${chart}\n\n${text.slice(to)}`;
  return { drawn, differs: drawn !== text };
}

export function checkDrawing(root, write = false) {
  const path = join(root, DOCUMENT);
  const { drawn, differs } = drawInto(readFileSync(path, 'utf8'), drawing(layerGraph(fileGraph(root))));
  if (differs && write) writeFileSync(path, drawn);
  return differs && !write
    ? `${DOCUMENT} shows other imports than there are: node scripts/draw-rooms.mjs --write`
    : null;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problem = checkDrawing(
    resolve(dirname(fileURLToPath(import.meta.url)), '..'),
    process.argv.includes('--write'),
  );
  if (problem !== null) {
    console.error(problem);
    process.exit(1);
  }
}
