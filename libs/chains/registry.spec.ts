import { isHex } from '#libs/core/ids.js';
import { knownChains } from './known-chains.js';
import { ChainRegistry, chainSlugs, chainSpec, resolveChain, servedChains, UnknownChainError } from './registry.js';

describe('chain registry', () => {
  it('resolves every slug, alias and id in any case, also as a number', () => {
    for (const chain of knownChains) {
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
      expect(() => resolveChain(wrong)).toThrow('sol, eth, bsc, base, chaind');
    }
    expect(chainSlugs).toEqual(['sol', 'eth', 'bsc', 'base', 'chaind']);
  });

  it('refuses a duplicate name, a duplicate chain, a duplicate venue and an unknown one', () => {
    const eth = chainSpec('eth');
    expect(() => new ChainRegistry([...knownChains, { ...knownChains[1]!, slug: 'eth2' }], [])).toThrow('names both');
    expect(() => new ChainRegistry(knownChains, [eth!, eth!])).toThrow('registered twice');
    expect(() => new ChainRegistry(knownChains, [{ ...eth!, slug: 'other' }])).toThrow('not among the known');
    const twice = [eth!.venues[0]!, eth!.venues[0]!];
    expect(() => new ChainRegistry(knownChains, [{ ...eth!, venues: twice }])).toThrow('venue uniswap-v2');
  });

  it('serves only well-formed specs', () => {
    expect(servedChains().map((spec) => spec.slug)).toEqual(['sol', 'eth', 'bsc', 'base', 'chaind']);
    for (const spec of servedChains()) {
      const identity = resolveChain(spec.slug);
      expect({ name: spec.name, family: spec.family, chainId: spec.chainId, aliases: spec.aliases }).toEqual({
        name: identity.name,
        family: identity.family,
        chainId: identity.chainId,
        aliases: identity.aliases,
      });
      const bytes = spec.family === 'evm' ? 20 : 32;
      for (const id of [
        spec.wrappedNative.token,
        ...spec.stables.map((stable) => stable.token),
        ...spec.venues.map((venue) => venue.factory),
      ]) {
        expect(isHex(id, bytes)).toBe(true);
        expect(spec.ids.parseAddress(spec.ids.formatAddress(id))).toBe(id);
      }
      for (const venue of spec.venues) expect(venue.aliases).toContain(venue.id);
      if (spec.family === 'evm') expect(isHex(spec.evm!.multicall3, 20)).toBe(true);
    }
  });
});
