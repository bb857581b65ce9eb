import { ByteChunks } from '#libs/core/byte-chunks.js';
import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { answerMembers } from './answer-members.js';

const parts = (bytes: Buffer, ends: readonly number[] = []): ByteChunks =>
  new ByteChunks([0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length)));
const read = (text: string) => answerMembers(parts(Buffer.from(text, 'utf8')));

/** JSON of any shape, written with spaces where JSON allows them. */
function randomJson(random: SeededRandom, depth: number): string {
  const space = (): string => random.pick(['', '', '', ' ', '\n', '\t ']);
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return random.pick(['true', 'false', 'null', '0', '-1.5e+3', '18446744073709551615']);
  if (kind < 4)
    return JSON.stringify(
      random.pick(['', '"', '\\', '\\"', '}{][', 'é€𝄞', '\n', 'result', ',":']).repeat(random.below(4)),
    );
  const items = Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
  if (kind === 4) return `[${space()}${items.join(`${space()},${space()}`)}${space()}]`;
  const members = items.map((item, index) => `${JSON.stringify(`"${index}\\`)}${space()}:${space()}${item}`);
  return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
}

describe('members of an answer', () => {
  it.each(propertySeeds(3))('gives the bytes of any result and of any error (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    let compared = 0;
    for (let n = 0; n < 400; n++) {
      const value = randomJson(random, 4);
      const others = [`"jsonrpc":"2.0"`, `"id" : 1`, `"extra":${randomJson(random, 2)}`];
      others.splice(random.below(4), 0, `"result"${random.pick(['', ' '])}:${random.pick(['', '\n'])}${value}`);
      const found = read(`${random.pick(['', ' '])}{${others.join(' , ')}}\n`);
      expect({ value, found: found?.result?.joined().toString('utf8') }).toEqual({ value, found: value });
      const error = `{"code":-32000,"message":${JSON.stringify(value)}}`;
      expect(read(`{"id":1,"error":${error},"jsonrpc":"2.0"}`)?.error?.toString('utf8')).toBe(error);
      compared += 2;
    }
    expect(compared).toBe(800);
  });

  it.each(propertySeeds(3))('reads a body in any parts as it reads it in one (seed %i)', (seed) => {
    const random = new SeededRandom(seed);
    let inside = 0;
    for (let n = 0; n < 300; n++) {
      const text = `{"id":1, "result":${randomJson(random, 4)}${random.pick(['}', '}', '}', ' } ', ']', ''])}`;
      const bytes = Buffer.from(text, 'utf8');
      const ends = Array.from({ length: random.below(6) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
      const found = answerMembers(parts(bytes, ends))?.result;
      expect({ text, ends, found: found?.joined().toString() }).toEqual({
        ...{ text, ends, found: read(text)?.result?.joined().toString() },
      });
      if ((found?.list.length ?? 0) > 1) inside++;
    }
    expect(inside).toBeGreaterThan(20);
  });

  it('takes an empty error next to a result for none', () => {
    expect(read('{"id":1,"error":null,"result":[]}')?.result?.joined().toString()).toBe('[]');
  });

  it('refuses what is no answer to one call', () => {
    const broken = ['', '{}', '[]', 'null', '{"id":1}', '{"id":1,"error":null}', '{"error":"text"}', '<html>'];
    broken.push('{"result":1', '{"result":1}}', '{"result":"', '{"result":[1}', '{"result":}', '{"result" 1}', '{1:2}');
    for (const text of broken) expect({ text, found: read(text) }).toEqual({ text, found: null });
    expect(broken.length).toBeGreaterThan(10);
  });

  it('refuses every beginning of an answer', () => {
    const whole = '{"jsonrpc":"2.0","id":1,"result":{"a":["\\"",{"b":"}"}]}}';
    for (let end = 0; end < whole.length; end++) expect(read(whole.slice(0, end))).toBeNull();
    expect(read(whole)).not.toBeNull();
  });
});
