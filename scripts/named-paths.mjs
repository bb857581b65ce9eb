// What documents say about places in the tree: every path of the glossary exists, and every app and every room of
// the libraries has its row in the table of docs/architecture.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rooms } from '../.dependency-cruiser.mjs';

/** Paths in backticks that do not exist. A bare file name belongs to the folder of the path before it on the line. */
export function missingPaths(root, text) {
  const missing = [];
  for (const line of text.split('\n')) {
    let folder = '.';
    for (const [, path] of line.matchAll(/`((?:(?:apps|libs|programs)\/)?[\w./-]+)`/g)) {
      const isPath = /^(?:apps|libs|programs)\//.test(path);
      if (!isPath && !/^[\w-]+\.ts$/.test(path)) continue;
      const place = isPath ? path : join(folder, path);
      if (!existsSync(join(root, place))) missing.push(place);
      folder = dirname(place);
    }
  }
  return missing;
}

/** Each app, and each room of the libraries; a room inside a room needs no row. */
function foldersWithRow(root) {
  const apps = readdirSync(join(root, 'apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const upper = Object.keys(rooms).filter((room) => room.split('/').length <= 2);
  return [...apps.map(({ name }) => `apps/${name}`), ...upper.map((room) => `libs/${room}`), 'libs/devkit/testing'];
}

/** Folders without a row of their own, `| \`libs/x\` | … |`, and rows of folders that do not exist. */
export function wrongRows(root, text, folders) {
  const named = [...text.matchAll(/^\| `([\w./-]+)`/gm)].map((match) => match[1]);
  return [
    ...folders.filter((folder) => !named.includes(folder)).map((folder) => `${folder} has no row`),
    ...named.filter((path) => !existsSync(join(root, path))).map((path) => `${path} does not exist`),
  ];
}

/** Everything that is wrong, as lines. */
export function checkNamedPaths(root) {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const layout = /^## Layout\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(read('docs/architecture.md'))?.[1] ?? '';
  return [
    ...missingPaths(root, read('docs/glossary.md')).map((path) => `docs/glossary.md: ${path} does not exist`),
    ...wrongRows(root, layout, foldersWithRow(root)).map((line) => `docs/architecture.md, table of folders: ${line}`),
  ];
}
