import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { propertySeeds, scaled } from '#libs/devkit/testing/seeded-random.js';
import { digestOf, readDigest, sameAnswer } from './block-digest.js';
import { type NodeBlock, readEntries, readNodeHeader } from './node-block.js';
import { randomBlock } from './test/random-block.js';

type Entry = {
  meta: Record<string, unknown> & {
    logMessages: string[];
    postBalances: number[];
    postTokenBalances: { uiTokenAmount: { amount: string } }[];
    preTokenBalances: { owner?: string }[];
    innerInstructions: { instructions: { data: string; stackHeight: number | null }[] }[];
    err: unknown;
  };
  transaction: { signatures: string[]; message: { accountKeys: string[] } };
};

function read(block: Record<string, unknown>, count = 6): NodeBlock {
  const entries = (block.transactions as never[]).map((entry, index) => ({ index, entry }));
  return { ...readNodeHeader(1e9 + 1, { ...block, parentSlot: 1e9 })!, ...readEntries(entries, count) };
}

const block = (seed: number, change: (entries: Entry[]) => void = () => undefined): Record<string, unknown> => {
  const made = randomBlock(new SeededRandom(seed), { transactions: 6, votes: 0, odd: false });
  change(made.transactions as Entry[]);
  return made;
};

describe.each(propertySeeds(scaled(60, 6)))('digests of blocks (seed %i)', (seed) => {
  const own = digestOf(read(block(seed)));
  const same = (change: (entries: Entry[]) => void): boolean => sameAnswer(own, digestOf(read(block(seed, change))));

  it('are the same where nodes tell the same, in words of their own', () => {
    expect(same(() => undefined)).toBe(true);
    expect(
      same((entries) => {
        for (const { meta } of entries) for (const balance of meta.preTokenBalances) delete balance.owner;
        for (const { meta } of entries) {
          for (const group of meta.innerInstructions) for (const call of group.instructions) call.stackHeight = null;
        }
      }),
    ).toBe(true);
    expect(same((entries) => void entries[2]!.meta.logMessages.splice(3, 99, 'Log truncated'))).toBe(true);
    expect(same((entries) => void entries[2]!.meta.logMessages.splice(0))).toBe(true);
  });

  it.each<[string, (entries: Entry[]) => void]>([
    ['a transaction less', (entries) => void entries.splice(3, 1)],
    ['another order', (entries) => void entries.reverse()],
    ['another balance', ([entry]) => void entry!.meta.postBalances[1]!++],
    [
      'another amount of tokens',
      ([entry]) => {
        entry!.meta.postTokenBalances[0]!.uiTokenAmount.amount += '1';
      },
    ],
    ['other data in a log', ([entry]) => void entry!.meta.logMessages.push('Program data: AAAA')],
    ['another account', ([entry]) => void entry!.transaction.message.accountKeys.fill('1'.repeat(32), 3, 4)],
    ['another outcome', ([entry]) => void Object.assign(entry!.meta, { err: entry!.meta.err === null ? 'x' : null })],
  ])('differ for %s', (_, change) => {
    expect(same(change)).toBe(false);
  });

  it('tell hash, parent and count; of an incomplete block nothing is said', () => {
    const whole = read(block(seed), 9);
    expect(readDigest(digestOf(whole))).toEqual({ hash: whole.hash, parentSlot: 1e9, count: 9 });
    const incomplete = digestOf({ ...whole, incomplete: true });
    expect(readDigest(incomplete)).toBeNull();
    expect(sameAnswer(incomplete, own)).toBe(true);
    expect(sameAnswer(digestOf({ ...whole, count: 10 }), digestOf(whole))).toBe(false);
  });
});

it('counts an entry once that a node gives twice, and refuses two of one signature', () => {
  const made = block(3);
  const entries = made.transactions as Entry[];
  const doubled = { ...made, transactions: [...entries.slice(0, 3), entries[1], ...entries.slice(3)] };
  expect(digestOf(read(doubled, 7))).toBe(digestOf(read(made, 6)));
  const other = structuredClone(entries[1]!);
  other.meta.postBalances[0]!++;
  expect(() => read({ ...made, transactions: [...entries, other] }, 7)).toThrow('of the same signature');
});
