import { evmIds } from './ids.js';

describe('EVM ids', () => {
  const address = 'ab'.repeat(20);
  const id = 'cd'.repeat(32);

  it('name a pool by an address or by 32 bytes, in any case', () => {
    expect(evmIds.parsePool(`0x${address}`)).toBe(address);
    expect(evmIds.parsePool(`0X${id.toUpperCase()}`)).toBe(id);
    expect(evmIds.formatAddress(id)).toBe(`0x${id}`);
    for (const wrong of [address, `0x${address}0`, `0x${id}0`, `0x${id.slice(1)}`, '0x', '', `0x${'zz'.repeat(32)}`]) {
      expect(evmIds.parsePool(wrong)).toBeNull();
    }
    expect(evmIds.parseAddress(`0x${id}`)).toBeNull();
  });
});
