import { getAddress } from 'viem';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { checksummed, hasWrongChecksum } from './checksum.js';

const seed = testSeed();

describe(`checksums of addresses (seed ${seed})`, () => {
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  ])('of EIP-55 are right, and one case alone: %s', (text) => {
    const digits = text.slice(2);
    for (const spelling of [text, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`, `0X${digits}`])
      expect([spelling, hasWrongChecksum(spelling)]).toEqual([spelling, false]);
  });

  it('are wrong with one letter of the other case, or with another digit', () => {
    const random = new SeededRandom(seed);
    let tried = 0;
    while (tried < 300) {
      const id = Array.from({ length: 40 }, () => random.between(0, 15).toString(16)).join('');
      const right = getAddress(`0x${id}`);
      expect(`0x${checksummed(id)}`).toBe(right);
      const at = random.between(2, 41);
      const letter = right[at]!;
      if (!/[a-f]/i.test(letter)) continue;
      const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
      const wrong = right.slice(0, at) + other + right.slice(at + 1);
      if (!/[a-f]/.test(wrong.slice(2)) || !/[A-F]/.test(wrong)) continue;
      expect([wrong, hasWrongChecksum(wrong)]).toEqual([wrong, true]);
      tried++;
    }
    expect(hasWrongChecksum('0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A')).toBe(true);
  });
});
