import { readFileSync } from 'node:fs';
import { decodeBlocksGroup, encodeBlocksGroup } from './blocks-codec.js';
import { goldenBlocks } from './test/golden-groups.js';

// The bytes of version 1 as they were first written. A change here is a change of the format: it takes a new version.
const golden = JSON.parse(readFileSync(new URL('./fixtures/groups-v1.json', import.meta.url), 'utf8')) as Record<
  'blocks',
  Record<string, string>
>;

describe('golden bytes of version 1', () => {
  for (const [name, group] of Object.entries(goldenBlocks)) {
    it(`blocks ${name}`, () => {
      expect(Buffer.from(encodeBlocksGroup(group)).toString('hex')).toBe(golden.blocks[name]);
      expect(decodeBlocksGroup(Buffer.from(golden.blocks[name]!, 'hex'))).toStrictEqual(group);
    });
  }
});
