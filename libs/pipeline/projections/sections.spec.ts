import { UndecodableError } from '#libs/core/errors.js';
import { goldenFacts } from '#libs/protocol/codec/test/golden-groups.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { decodeFactsGroup, encodeFactsGroup } from './facts-codec.js';

function emptyRows(block: FactsBlock): FactsBlock {
  const none = { trades: [], transfers: [], tokens: [], pools: [], poolStates: [], prices: [], references: [] };
  return { ...block, ...none };
}

describe('sections of facts', () => {
  const block = goldenFacts.block as FactsBlock;
  const encoded = (change: Partial<FactsBlock>) =>
    Buffer.from(encodeFactsGroup({ ...emptyRows(block), hash: '', parentHash: '', ...change }));
  /** What looks like a title in the bytes; the golden group has no text that does. */
  const titles = (bytes: Buffer) => bytes.toString('latin1').match(/[a-z-]+@[0-9]+/g) ?? [];

  it('are left out without rows, and come in the order of the registry', () => {
    expect(titles(encoded({}))).toEqual([]);
    const { prices, references } = block;
    expect(titles(encoded({ references }))).toEqual(['references@1']);
    expect(titles(encoded({ references, prices }))).toEqual(['prices@2', 'references@1']);
    expect(titles(encoded({ references, proof: 'none' }))).toEqual(['proof@1', 'references@1']);
    expect(titles(Buffer.from(encodeFactsGroup(block)))).toEqual([
      ...['tokens@1', 'pools@1', 'pool-states@1', 'prices@2', 'references@1', 'trades@2', 'transfers@1'],
    ]);
    expect(titles(Buffer.from(encodeFactsGroup(goldenFacts.retract!)))).toEqual([
      ...['removed-tokens@1', 'removed-pools@1', 'pool-states@1', 'prices@2', 'references@1'],
    ]);
  });

  it('are stepped over when their name or version is not known, with what they name in the dictionaries', () => {
    const bytes = Buffer.from(encodeFactsGroup(block));
    for (const title of ['tokens@1', 'pool-states@1', 'trades@2', 'transfers@1']) {
      const newer = Buffer.from(bytes);
      const unknown = title.replace(/@./, '@9');
      newer.write(unknown, newer.indexOf(title), 'latin1');
      const skipped: string[] = [];
      const member = title === 'pool-states@1' ? 'poolStates' : title.replace(/@./, '');
      expect(decodeFactsGroup(newer, (each) => skipped.push(each))).toStrictEqual({ ...block, [member]: [] });
      expect(skipped).toEqual([unknown]);
    }
  });

  it('say one proof, a known one, or nothing to a reader that does not know the form', () => {
    const bytes = encoded({ proof: 'sampled' });
    const body = bytes.indexOf('proof@1') + 'proof@1'.length + 1;
    expect([...bytes.subarray(body)]).toEqual([1, 1]);
    for (const [at, value, reason] of [
      [body, 0, 'not one proof'],
      [body, 2, 'not one proof'],
      [body + 1, 3, 'unknown proof'],
    ] as const) {
      const wrong = Buffer.from(bytes);
      wrong[at] = value;
      expect(() => decodeFactsGroup(wrong)).toThrow(reason);
    }
    const newer = Buffer.from(bytes);
    newer.write('proof@2', newer.indexOf('proof@1'), 'latin1');
    expect(decodeFactsGroup(newer)).toStrictEqual(decodeFactsGroup(encoded({})));
    expect(() => encodeFactsGroup({ ...block, proof: 'half' as never })).toThrow('proof half');
  });

  it('are refused when one is empty, twice there, out of order, or of another length than it says', () => {
    const { references, prices } = block;
    const empty = Buffer.concat([encoded({}), Buffer.from([13 - 1, ...Buffer.from('references@1'), 1, 0])]);
    expect(() => decodeFactsGroup(empty)).toThrow('section references@1 is empty');
    const one = encoded({ references });
    const section = one.subarray(one.indexOf('references@1') - 1);
    expect(() => decodeFactsGroup(Buffer.concat([one, section]))).toThrow('section references@1 out of order');
    const both = encoded({ references, prices });
    const first = both.indexOf('prices@2') - 1;
    const second = both.indexOf('references@1') - 1;
    const swapped = [both.subarray(0, first), both.subarray(second), both.subarray(first, second)];
    expect(() => decodeFactsGroup(Buffer.concat(swapped))).toThrow(UndecodableError);
    for (const change of [-1, 1]) {
      const wrong = Buffer.from(both);
      wrong[first + 1 + 'prices@2'.length]! += change;
      expect(() => decodeFactsGroup(wrong)).toThrow(UndecodableError);
    }
  });
});
