import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Recorded, recorded, trades } from '#libs/devkit/testing/solana/recorded-solana.js';
import { decodeDocument } from './decode-document.js';

const cases: Recorded[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/cases.json.gz'))).toString(),
);
const find = (name: string) => cases.find((each) => each.name === name)!.answer;

describe('cases from outside the project', () => {
  it('gives a swap to the trader where a sponsor signs and passes the tokens through', () => {
    expect(trades(find('sponsored')).map(({ wallet }) => wallet)).toEqual(
      new Array(2).fill('BRQgxbgDrChXW6P79mAKT8jar92QRGwG6VchZa8w1kzY'),
    );
  });

  it('counts undecoded swaps whose tokens lie with a vault program, or that are paid in lamports', () => {
    expect(cases.map(({ name, answer }) => [name, decodeDocument(answer).undecoded])).toEqual([
      ['sponsored', ['MNFSTqtC93rEfYHB6hF82sKdZpUDFWkViLByLd1k1Ms']],
      ['damm-v1', ['Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB']],
      ['curve-paid-in-lamports', ['MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG']],
    ]);
  });

  it('reads the same where a node records no depths', () => {
    for (const { name, answer } of [...cases, ...recorded]) {
      const without = structuredClone(answer);
      for (const { instructions } of without.meta.innerInstructions ?? []) {
        for (const instruction of instructions) delete instruction.stackHeight;
      }
      expect({ name, decoded: decodeDocument(without) }).toEqual({ name, decoded: decodeDocument(answer) });
    }
  });
});
