import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkPlainWords, oddWords, proseOf, WORDS } from '../plain-words.mjs';

/** `#{` is written for the placeholder of a template. */
const found = (file, text) =>
  oddWords(file, text.replaceAll('#{', '$' + '{')).map(({ line, word }) => `${line} ${word}`);

for (const [what, file, text, expected] of [
  ['a line comment', 'a.ts', 'const a = 1; // told of it', ['1 told']],
  ['a block comment', 'a.tsx', '/**\n * Whoever asks.\n */\nconst a = 1;', ['2 Whoever']],
  ['a comment of C', 'a.c', 'int a; /* beside */\n// nobody', ['1 beside', '2 nobody']],
  ['a comment of SQL', 'a.sql', "-- anew\nSELECT 'told'", ['1 anew']],
  ['two words', 'a.ts', '/*\n * It goes\n * on, it goes on.\n */', ['2 goes on', '3 goes on']],
  ['prose of a document', 'a.md', 'Beside it.\n', ['1 Beside']],
  ['a comment after an address', 'a.ts', "const a = 'http://x'; // hence", ['1 hence']],
  ['a comment inside a template', 'a.ts', 'const a = `told #{b /* told */} told`; // told', ['1 told', '1 told']],
  ['a comment after a regular expression', 'a.ts', 'const a = /[\'"`/]/; // told', ['1 told']],
  ['a comment after a division', 'a.ts', 'const a = b / c; // told / told', ['1 told', '1 told']],
  ['a string', 'a.ts', 'const a = \'told\'; const b = "nobody";', []],
  ['a string with escapes', 'a.ts', "const a = 'it\\'s // told';", []],
  ['a template', 'a.ts', 'const a = `// told #{b} // told`;', []],
  ['nested templates', 'a.ts', 'const a = `#{`#{{ a: 1 }} // told`} // told`;', []],
  ['code', 'a.ts', 'const told = nobody(beside);', []],
  ['text of a page', 'a.tsx', "const a = <p>It's told</p>; // a comment", []],
  ['names in backticks', 'a.ts', '// calls `told` and `beside()`', []],
  ['code in a document', 'a.md', '```sh\ntold\n```\n`nobody`\n', []],
  ['longer words', 'a.ts', '// besides, untold, thence', []],
  ['another kind of file', 'a.json', '"told"', []],
]) {
  test(`${expected.length > 0 ? 'found' : 'left alone'}: ${what}`, () => assert.deepEqual(found(file, text), expected));
}

test('every word of the list is found and has a better one', () => {
  for (const [pattern, instead] of WORDS) {
    for (const word of pattern.split('|')) {
      const plain = word.replace(/\(\?:\w+\)\?|\?|\\w\*/g, '');
      assert.deepEqual(oddWords('a.ts', `// ${plain}`)[0]?.instead, instead, plain);
    }
  }
});

test('lines and columns stay', () => {
  const text = "const a = 'x'; // told\n/* a\n b */ code();\n";
  const prose = proseOf('a.ts', text);
  assert.equal(prose.length, text.length);
  assert.equal(prose.indexOf('told'), text.indexOf('told'));
});

function withTree(files, body) {
  const root = mkdtempSync(join(tmpdir(), 'plain-words-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return body(root, Object.keys(files));
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('a folder may keep its number, not pass it; a file outside has none', () => {
  const tree = { 'apps/x/a.ts': '// told\n// told\n', 'apps/xy/a.ts': '// fine\n', 'libs/b.ts': '// fine\n' };
  withTree(tree, (root, files) => {
    assert.deepEqual(checkPlainWords(root, files, { 'apps/x': 2 }), { wrong: [], lower: [] });
    assert.equal(checkPlainWords(root, files, { 'apps/x': 1 }).wrong.length, 3);
    assert.match(checkPlainWords(root, files, { 'apps/x': 1 }).wrong[0], /apps\/x has 2 odd words/);
    assert.deepEqual(checkPlainWords(root, files, {}).wrong.length, 2);
    const { wrong, lower } = checkPlainWords(root, files, { 'apps/x': 3 });
    assert.deepEqual(wrong, []);
    assert.match(lower.join(), /apps\/x has only 2 left/);
  });
});
