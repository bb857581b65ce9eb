// Plain words: comments and documents are read by people whose first language is not English. A short list of words that
// are archaic, vague or private must not appear in them. Code and strings are not looked at. Every file is checked; the
// number of findings that a folder may still have is data here, and it may only go down.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What must not appear, and what to say instead. */
export const WORDS = [
  ['beside', 'next to, in addition to, compared with'],
  ['whoever', 'the caller, the holder, a reader that …'],
  ['told', 'notified, called, configured, announced'],
  ['somebody', 'the user, an operator, another process'],
  ['nobody', 'no caller, no reader, null'],
  ['lies?|lay', 'is, are; of a node: inconsistent'],
  ['stands?|stood', 'is, are, is kept, is valid, is used'],
  ['doors?', 'listener, route, transport, interface'],
  ['go(?:es)? on', 'continue, continues'],
  ['becomes? of|became of', 'happens to, the result of'],
  ['anew', 'again'],
  ['reckon\\w*', 'compute'],
  ['hence', 'so'],
  ['thereof|thither|yonder|naught|lest|ere|wherefore|whilst', 'a word of today'],
];

/** Findings that are left over, by folder, for a folder that comes with some. A folder that is not named has none. */
export const REMAINING = {};

/** Two words may be on two lines of a comment. */
const ofWord = (word) => word.replaceAll(' ', '[\\s*/]+');
const PATTERN = new RegExp(`\\b(?:${WORDS.map(([word]) => ofWord(word)).join('|')})\\b`, 'gi');
const CODE = /\.(?:tsx?|mjs|c|h)$/;
/** After one of these a slash begins a regular expression, not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in))$/;

/** The text of a file with everything but its prose replaced by spaces, so that positions stay. */
export function proseOf(file, text) {
  if (file.endsWith('.md')) return blank(text, /^```[\s\S]*?^```|`[^`\n]*`/gm);
  if (file.endsWith('.sql')) return keepOnly(text, [...text.matchAll(/--.*|\/\*[\s\S]*?\*\//g)].map(rangeOf));
  if (CODE.test(file)) return keepOnly(text, commentsOf(text));
  return '';
}

const rangeOf = (match) => [match.index, match.index + match[0].length];
const spaces = (text) => text.replace(/[^\n]/g, ' ');
const blank = (text, pattern) => text.replace(pattern, spaces);

function keepOnly(text, ranges) {
  let kept = '';
  let at = 0;
  for (const [from, to] of ranges) {
    kept += spaces(text.slice(at, from)) + text.slice(from, to).replace(/`[^`\n]*`/g, spaces);
    at = to;
  }
  return kept + spaces(text.slice(at));
}

/** Where the comments of a C-like text are: strings, templates and regular expressions are stepped over. */
export function commentsOf(text) {
  const found = [];
  /** Depth of braces inside each open `${` of a template. */
  const templates = [];
  let at = 0;
  const template = () => {
    for (; at < text.length; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '`') return void at++;
      else if (text.startsWith('${', at)) {
        templates.push(0);
        at += 2;
        return;
      }
    }
  };
  while (at < text.length) {
    const char = text[at];
    const two = text.slice(at, at + 2);
    if (two === '//' || two === '/*') {
      const end = two === '//' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2) + 2;
      const to = end < (two === '//' ? 0 : 2) ? text.length : end;
      found.push([at, to]);
      at = to;
    } else if (char === "'" || char === '"') at = endOf(text, at, char);
    else if (char === '`') {
      at++;
      template();
    } else if (char === '/' && BEFORE_REGEX.test(text.slice(Math.max(0, at - 40), at).trimEnd()))
      at = endOf(text, at, '/');
    else {
      if (templates.length > 0 && char === '{') templates[templates.length - 1]++;
      at++;
      if (templates.length > 0 && char === '}' && templates[templates.length - 1]-- === 0) {
        templates.pop();
        template();
      }
    }
  }
  return found;
}

/** The place after a literal that ends with `close`; a line break ends it too. In a class of a regex a slash is a letter. */
function endOf(text, from, close) {
  let inClass = false;
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '\n') return at;
    else if (close === '/' && text[at] === '[') inClass = true;
    else if (close === '/' && text[at] === ']') inClass = false;
    else if (text[at] === close && !inClass) return at + 1;
  }
  return text.length;
}

/** Findings of one file: line, word, and what to say instead. */
export function oddWords(file, text) {
  const prose = proseOf(file, text);
  return [...prose.matchAll(PATTERN)].map((match) => ({
    line: prose.slice(0, match.index).split('\n').length,
    word: match[0].replace(/[\s*/]+/g, ' '),
    instead: WORDS.find(([word]) => new RegExp(`^(?:${ofWord(word)})$`, 'i').test(match[0]))[1],
  }));
}

/** The longest folder of `REMAINING` that holds a file; null where no finding is left over. */
const folderOf = (file, remaining) =>
  Object.keys(remaining)
    .filter((folder) => file === folder || file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0] ?? null;

/** What is wrong, as lines, and where a number can be lowered. */
export function checkPlainWords(root, files, remaining = REMAINING) {
  const counted = new Map(Object.keys(remaining).map((folder) => [folder, []]));
  const wrong = [];
  for (const file of files) {
    if (!CODE.test(file) && !/\.(?:md|sql)$/.test(file)) continue;
    const folder = folderOf(file, remaining);
    for (const { line, word, instead } of oddWords(file, readFileSync(join(root, file), 'utf8'))) {
      (folder === null ? wrong : counted.get(folder)).push(`${file}:${line}: "${word}" (say: ${instead})`);
    }
  }
  const lower = [];
  for (const [folder, found] of counted) {
    if (found.length > remaining[folder])
      wrong.push(`${folder} has ${found.length} odd words in comments, more than ${remaining[folder]}:`, ...found);
    if (found.length < remaining[folder])
      lower.push(`scripts/plain-words.mjs: ${folder} has only ${found.length} left: lower its number`);
  }
  return { wrong, lower };
}
