import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { IN_ANSWER, IN_NOTIFICATION, type ListPath, readWhole, scanBlock } from './block-scanner.js';
import { randomBlock } from './test/random-block.js';
import { VOTE_PROGRAM } from './vote-shapes.js';

const seed = testSeed();
const rounds = scaled(1500);

/** As some node would write it: fields in one order or another, spaces, escapes where plain signs would do. */
function written(random: SeededRandom, path: ListPath, block: unknown): string {
  let holder: unknown = shuffled(random, block);
  for (const key of path.slice(0, -1).reverse()) holder = shuffled(random, { other: [1, { x: 'y' }], [key]: holder });
  const text = JSON.stringify(shuffled(random, { jsonrpc: '2.0', id: 7, ...(holder as object) }), null, random.int(3));
  if (!random.chance(0.1)) return text;
  const sign = 'VotmaccIns'[random.int(10)]!;
  const code = `\\u00${sign.charCodeAt(0).toString(16)}`;
  const places = [...text.matchAll(new RegExp(sign, 'g'))].map((match) => match.index);
  const at = places[random.int(places.length)];
  // A sign inside a text may always be written by its code; numbers and words outside of texts hold none of these.
  const inText = at !== undefined && [...text.slice(0, at).matchAll(/(?<!\\)(?:\\\\)*"/g)].length % 2 === 1;
  const escaped = inText && text[at - 1] !== '\\' && !/\\u[\da-f]{0,3}$/.test(text.slice(0, at));
  return escaped ? text.slice(0, at) + code + text.slice(at + 1) : text;
}

/** One writer gives objects of the same names in one order. */
function shuffled(random: SeededRandom, value: unknown, flips = new Map<string, boolean>()): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(random, item, flips));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, shuffled(random, item, flips)] as const);
  const names = Object.keys(value).join();
  if (!flips.has(names)) flips.set(names, random.chance(0.3));
  return Object.fromEntries(flips.get(names) ? fields.reverse() : fields);
}

describe(`scanBlock (seed ${seed})`, () => {
  it('reads what JSON.parse reads, without the votes', () => {
    let [votes, scanned] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const random = new SeededRandom(seed + round);
      const path = random.chance(0.5) ? IN_ANSWER : IN_NOTIFICATION;
      const transactions = random.int(12);
      const odd = random.chance(0.5);
      const text = written(random, path, randomBlock(random, { transactions, votes: 0.6, odd }));
      const body = Buffer.from(text);
      const whole = readWhole(body, path);
      votes += transactions - whole.entries!.length;
      const answer = scanBlock(body, path);
      if (answer === null) {
        // Only what the usual writer never writes is left to JSON.parse.
        expect({ round, odd: odd || text.includes('\\u00') }).toEqual({ round, odd: true });
        continue;
      }
      scanned++;
      expect({ round, answer }).toEqual({ round, answer: whole });
    }
    expect(votes).toBeGreaterThan(0);
    expect(scanned).toBeGreaterThan(rounds / 2);
  });

  it('leaves a damaged answer to JSON.parse, unless the damage is inside a vote', () => {
    let refused = 0;
    for (let round = 0; round < rounds * 3; round++) {
      const random = new SeededRandom(seed + round);
      const body = Buffer.from(
        JSON.stringify({ id: 1, result: randomBlock(random, { transactions: 3, votes: 0, odd: false }) }),
      );
      body[random.int(body.length)] = 32 + random.int(96);
      const cut = random.chance(0.3) ? body.subarray(0, random.int(body.length)) : body;
      const answer = scanBlock(cut, IN_ANSWER);
      if (answer === null) refused++;
      else expect({ round, answer }).toEqual({ round, answer: readWhole(cut, IN_ANSWER) });
    }
    expect(refused).toBeGreaterThan(0);
  });

  it('finds the vote program wherever the keys have it, and no other', () => {
    const entry = (accountKeys: string[], ...programs: number[]) => ({
      transaction: { message: { accountKeys, instructions: programs.map((programIdIndex) => ({ programIdIndex })) } },
    });
    const other = `${VOTE_PROGRAM.slice(0, -1)}2`;
    const list = [
      entry(['a', VOTE_PROGRAM], 1),
      entry([VOTE_PROGRAM, 'a', VOTE_PROGRAM], 0, 2, 2),
      entry(['a', VOTE_PROGRAM], 1, 0),
      entry(['a', other], 1),
      entry(['a', VOTE_PROGRAM], 2),
      entry(['a', VOTE_PROGRAM]),
    ];
    const answer = scanBlock(Buffer.from(JSON.stringify({ result: { transactions: list } })), IN_ANSWER);
    expect(answer?.entries?.map(({ index }) => index)).toEqual([2, 3, 4, 5]);
  });

  it.each([
    ['an error', '{"jsonrpc":"2.0","error":{"code":-32007,"message":"Slot 1 was skipped"},"id":1}'],
    ['no block', '{"jsonrpc":"2.0","result":null,"id":1}'],
    ['no list', '{"jsonrpc":"2.0","result":{"transactions":{}},"id":1}'],
  ])('shows %s as it is, without a list', (_, text) => {
    expect(scanBlock(Buffer.from(text), IN_ANSWER)).toEqual({ rest: JSON.parse(text), entries: null, count: 0 });
  });

  it.each([
    ['two lists', '{"result":{"transactions":[],"transactions":[1]}}'],
    ['two results', '{"result":{"transactions":[]},"result":1}'],
    ['an escape in a name', '{"result":{"transaction\\u0073":[]}}'],
    ['a list of answers', '[{"result":{"transactions":[]}}]'],
    ['something behind it', '{"result":{"transactions":[]}} x'],
    ['nothing', ''],
  ])('leaves %s to JSON.parse', (_, text) => {
    expect(scanBlock(Buffer.from(text), IN_ANSWER)).toBeNull();
  });
});
