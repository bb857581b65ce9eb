// The source files of the project, and which of them belong to the tests.
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { TEST } from '../../.dependency-cruiser.mjs';

const TEST_FILE = new RegExp(TEST);

/** Whether a file is a spec, is in a test folder or is shared by them. */
export const isTest = (file) => TEST_FILE.test(file);

const NOT_SOURCES = new Set(['node_modules', 'dist', 'fixtures', 'peers']);

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
        if (!NOT_SOURCES.has(entry.name)) visit(path);
      } else if (/\.tsx?$/.test(entry.name)) files.push(relative(root, path).split(sep).join('/'));
    }
  };
  for (const folder of folders) visit(join(root, folder));
  return files.sort();
}
