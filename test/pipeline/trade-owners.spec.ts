import { naiveOwner } from '#libs/devkit/testing/histories/naive-owner.js';
import { ownersOf, party, receipts } from './receipt-blocks.js';

const COW_TRADE = '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17';

describe('whose trades the swaps of recorded receipts are', () => {
  it('is who signed the order, as the settlement says, where a solver sent it; the solver where it cannot be told', () => {
    const found: Record<string, string[]> = {};
    for (const receipt of receipts) {
      const signed = receipt.receipt.logs.filter(({ topics }) => topics[0] === COW_TRADE);
      const { owners, sender } = ownersOf(receipt);
      if (signed.length === 0 || owners.length === 0) continue;
      const able = [sender, ...signed.map(({ topics }) => party(topics[1]!))];
      expect(able).toEqual(expect.arrayContaining(owners));
      found[receipt.name.split('_0x')[1]!] = owners.map((owner) => (owner === sender ? 'sender' : owner.slice(0, 6)));
    }
    expect(found).toEqual({
      '024e1da9dc': ['c37b40'],
      a251a5069f: ['sender', 'sender'],
      f751e1aa98: ['b39186', 'c37b40'],
      '2c8cac577a': ['ba3cb4'],
      dbe490bbfa: ['9531c0', '9531c0'],
      '14e73a3bbc': ['dd84ce'],
      '31051b28d2': ['2b8889', '696abc', '696abc'],
      '5871cd5d19': ['f654cb', '43f9a4', 'c5c75c'],
      e2d6aa6366: ['40a50c', '24d734'],
      d1b5ca7b76: ['c37b40', 'c37b40'],
    });
  });

  it('is who gave the tokens where a relay sent them, and the contract of a token that sells what it taxed', () => {
    const found: Record<string, string[]> = {};
    for (const receipt of receipts) {
      const { owners, sender } = ownersOf(receipt);
      if (receipt.receipt.logs.some(({ topics }) => topics[0] === COW_TRADE)) continue;
      if (owners.every((owner) => owner === sender)) continue;
      found[receipt.name.split('_0x')[1]!] = owners.map((owner) => (owner === sender ? 'sender' : owner.slice(0, 6)));
    }
    expect(found).toEqual({
      b77f8e36a8: ['e4bef0', 'e4bef0'],
      f0be288974: ['2dcd79'],
      '48f48d62b9': ['395197', '395197', '395197', '395197'],
      a49f289274: ['b539b4'],
      bcc690fb11: ['sender', '09e185', 'sender', 'sender'],
      '355c18ab70': ['f06cc3', 'f06cc3'],
    });
  });

  it('is worked out as from all of each transaction anew', () => {
    for (const receipt of receipts) {
      const { owners, swaps, group, pools, coin } = ownersOf(receipt);
      const naive = swaps.map((swap) => naiveOwner(group, swap, pools, coin));
      expect({ name: receipt.name, owners }).toEqual({ name: receipt.name, owners: naive });
    }
  });
});
