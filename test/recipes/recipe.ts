import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a recipe says of one file: a new one, one more line in one that exists, or one that a command writes. */
type FileRole = 'new' | 'one line' | 'generated';

export interface RecipeFile {
  /** Path in the tree, with `<name>` where the addition's own name goes. */
  readonly path: string;
  readonly role: FileRole;
  /** The addition works without it. */
  readonly optional: boolean;
}

const ROW = /^\| `([^`]+)` +\| (new|one line|generated)(, optional)? +\|/;

/** The table of files of `docs/recipes/<name>.md`: every row whose second column is `new`, `one line` or `generated`. */
export function recipeFiles(project: string, name: string): RecipeFile[] {
  const rows = readFileSync(join(project, `docs/recipes/${name}.md`), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const row = ROW.exec(line);
      return row ? [{ path: row[1]!, role: row[2] as FileRole, optional: row[3] !== undefined }] : [];
    });
  if (rows.length === 0) throw new Error(`docs/recipes/${name}.md has no table of files`);
  return rows;
}

/** The files with the placeholders filled in: `<venue>` becomes what `names.venue` says. */
export function filledIn(files: readonly RecipeFile[], names: Readonly<Record<string, string>>): RecipeFile[] {
  return files.map((file) => ({
    ...file,
    path: file.path.replace(/<(\w+)>/g, (_, key: string) => {
      const name = names[key];
      if (name === undefined) throw new Error(`the recipe asks for <${key}>, the addition has no such name`);
      return name;
    }),
  }));
}
