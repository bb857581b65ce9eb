// A chain's or venue's name is in its own folder, in the registries and in tests; everything else treats chains and venues
// alike. Looked for in imports and string literals of product code: comments may name what they like.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isTest, sourceFiles } from './lib/source-files.mjs';
import { commentsOf } from './plain-words.mjs';

/** Where each kind of name has its folders. A folder of chains has a `chain.ts`; those of node clients have none. */
const HOMES = [
  { parent: 'libs/chain/chains', named: (folder) => existsSync(join(folder, 'chain.ts')) },
  { parent: 'libs/chain/venues', named: () => true },
  { parent: 'libs/chain/launchpads', named: () => true },
];

/** Names that are words of other meanings too: only an import of their folder counts. */
const COMMON_WORDS = new Set(['base', 'tidepool']);

/** Lists of all chains, venues or launchpads: one line each. */
const REGISTRY = /^libs\/chain\/(chains|venues|launchpads)\/([\w-]+-)?registry\.ts$/;

/**
 * How many names each file has where another place would be worse. A number only goes down; a file that has none left goes.
 * - examples.ts: the one place of the documents' examples.
 * - market-queries.ts: the launchpads that a query may name are part of the contract, whatever the registry has.
 * - config.ts: `sol` is the name of a listener and its variables.
 * - recorded-survey.ts: tells the recording's contracts apart by what only those four exchanges do.
 */
export const REMAINING = {
  'libs/devkit/chain-replay/recorded-survey.ts': 8,
  'libs/platform/config.ts': 1,
  'libs/serve/contract/rest/examples.ts': 2,
  'libs/serve/contract/rest/market-queries.ts': 5,
};

export function namesOf(root) {
  return HOMES.flatMap(({ parent, named }) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'test' && named(join(root, parent, entry.name)))
      .map((entry) => ({ name: entry.name, home: `${parent}/${entry.name}` })),
  );
}

/** A place of that name: its folder, or a folder or file elsewhere that is called so. */
const isOwn = (file, name) => file.split('/').some((part) => part.replace(/\.tsx?$/, '') === name);

/** A chain's folder has the addresses of the venues on it, by their names. */
const listsItsVenues = (file, home) =>
  /^libs\/chain\/chains\/[\w-]+\//.test(file) && !home.startsWith('libs/chain/chains/');

/** A Solidity file inside a package, which ends like the name of a chain. */
const SOLIDITY_FILE = /\w\.sol\//g;

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** The text with blanks for its comments, so that lines stay. */
function codeOf(text) {
  let code = '';
  let at = 0;
  for (const [from, to] of commentsOf(text)) {
    code += text.slice(at, from) + text.slice(from, to).replace(/[^\n]/g, ' ');
    at = to;
  }
  return code + text.slice(at);
}

/** A name as a word of its own, a longer name not being taken for it. */
const pattern = (name, all) => {
  const longer = all.filter((other) => other.startsWith(`${name}-`)).map((other) => other.slice(name.length));
  const not = longer.map((rest) => rest.replace(/[^\w-]/g, '')).join('|');
  return new RegExp(`(?<![\\w])${name}(?![\\w])${not === '' ? '' : `(?!${not})`}`);
};

/** Names in a file's imports and literals that it should not know: line and name. */
export function foreignNames(file, text, names) {
  const all = names.map(({ name }) => name);
  const code = codeOf(text);
  const found = [];
  for (const literal of code.matchAll(LITERAL)) {
    const raw = literal[1] ?? literal[2] ?? literal[3].replace(/\$\{[^}]*\}/g, ' ');
    const said = raw.replace(SOLIDITY_FILE, ' ');
    const path = /^(?:#|\.{1,2}\/)/.test(said);
    for (const { name, home } of names) {
      if (isOwn(file, name) || listsItsVenues(file, home)) continue;
      const known = path
        ? `${said}/`.includes(`/${home.split('/').slice(1).join('/')}/`)
        : !COMMON_WORDS.has(name) && pattern(name, all).test(said);
      if (known) found.push({ line: code.slice(0, literal.index).split('\n').length, name });
    }
  }
  return found;
}

/** What is wrong, as lines, and where a number can be lowered. */
export function checkNames(root, remaining = REMAINING, files = sourceFiles(root, ['apps', 'libs'])) {
  const names = namesOf(root);
  const wrong = [];
  const lower = [];
  const counted = new Map(Object.keys(remaining).map((file) => [file, 0]));
  for (const file of files) {
    if (isTest(file) || REGISTRY.test(file)) continue;
    const found = foreignNames(file, readFileSync(join(root, file), 'utf8'), names);
    const allowed = remaining[file] ?? 0;
    if (counted.has(file)) counted.set(file, found.length);
    if (found.length <= allowed) continue;
    wrong.push(
      `${file} names ${found.length} times what is in its own folder, registries and tests alone (${allowed} from before):`,
    );
    wrong.push(...found.map(({ line, name }) => `  ${file}:${line}: ${name}`));
  }
  for (const [file, count] of counted) {
    if (count === 0)
      wrong.push(`${file} names no chain or venue any more: remove it from the list in scripts/names.mjs`);
    else if (count < remaining[file])
      lower.push(`scripts/names.mjs: ${file} has only ${count} names left: lower its number`);
  }
  return { wrong, lower };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ? resolve(process.argv[2]) : resolve(dirname(fileURLToPath(import.meta.url)), '..');
  const { wrong, lower } = checkNames(root);
  for (const line of [...wrong, ...lower]) console.error(line);
  console.log(wrong.length === 0 ? 'names are where they belong' : `${wrong.length} lines of findings`);
  process.exit(wrong.length === 0 ? 0 : 1);
}
