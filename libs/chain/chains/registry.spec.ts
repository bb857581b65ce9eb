import { isHex } from '#libs/core/ids.js';
import { ChainRegistry, UnknownChainError } from './chain-registry.js';
import { chainManifests, chainSlugs, resolveChain } from './registry.js';

describe('chain registry', () => {
  it('resolves every slug, alias and id in any case, also as a number', () => {
    for (const chain of chainManifests.all) {
      for (const name of [chain.slug, ...chain.aliases, String(chain.networkId)]) {
        expect(resolveChain(name).slug).toBe(chain.slug);
        expect(resolveChain(name.toUpperCase()).slug).toBe(chain.slug);
      }
      expect(resolveChain(chain.networkId).slug).toBe(chain.slug);
    }
    expect(resolveChain(101).slug).toBe('sol');
    // An id that the chain once had is understood, not shown.
    expect(resolveChain(1399811149).slug).toBe('sol');
    expect(resolveChain('1399811149').aliases).toEqual(['solana']);
    expect(resolveChain('Ethereum').slug).toBe('eth');
    expect(resolveChain('BNB').slug).toBe('bsc');
  });

  it('names the valid slugs for anything else', () => {
    for (const wrong of ['', 'ether', '2', 'constructor', '__proto__', ' eth', '1.0', '0x1', 'x'.repeat(500)]) {
      expect(() => resolveChain(wrong)).toThrow(UnknownChainError);
      expect(() => resolveChain(wrong)).toThrow(`use one of ${chainSlugs.join(', ')}`);
    }
    expect(chainSlugs).toEqual(chainManifests.all.map(({ slug }) => slug));
    const first = ['sol', 'eth', 'bsc', 'base', 'chaind'];
    expect(chainSlugs.filter((slug) => first.includes(slug))).toEqual(first);
  });

  it('refuses a name that two chains claim, and a chain twice', () => {
    const { all } = chainManifests;
    const eth = resolveChain('eth');
    expect(() => new ChainRegistry([...all, { ...eth, slug: 'eth2' }])).toThrow('names both');
    expect(() => new ChainRegistry([...all, { ...eth, slug: 'eth2', aliases: [], networkId: 56 }])).toThrow(
      'names both',
    );
    expect(() => new ChainRegistry([eth, eth])).toThrow('names both');
  });

  it('holds only well-formed manifests', () => {
    for (const chain of chainManifests.all) {
      const bytes = chain.family === 'evm' ? 20 : 32;
      const addresses = [
        chain.wrappedNative.token,
        ...chain.stables.map((stable) => stable.token),
        ...chain.venues.flatMap(({ factory, contracts }) => [factory, ...Object.values(contracts ?? {})]),
        ...chain.launchpads.flatMap(({ contracts }) => Object.values(contracts)),
      ];
      for (const id of addresses) {
        expect(isHex(id, bytes)).toBe(true);
        expect(chain.ids.parseAddress(chain.ids.formatAddress(id))).toBe(id);
      }
      for (const source of chain.venues.flatMap(({ sources }) => sources)) {
        expect(new URL(source).protocol).toBe('https:');
      }
      if (chain.family === 'evm') expect(isHex(chain.evm!.multicall3, 20)).toBe(true);
    }
  });
});
