import type { LaunchpadAddresses } from '#libs/chain/chains/chain-manifest.js';
import { chainManifests, resolveChain } from '#libs/chain/chains/registry.js';
import { evmCurves, evmLaunchpads, registerLaunchpads } from '#libs/chain/launchpads/evm-registry.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { chainSpec, configurableChains, servedChains } from './catalogue.js';
import { joinChain, type Registered } from './join-chain.js';

const registered: Registered = {
  evm: { venues: evmVenues, launchpads: evmLaunchpads },
  solana: { venues: solanaVenues, launchpads: [] },
};

/** A launchpad's curves are a venue of the chain too. */
const curvesOf = (launchpads: readonly LaunchpadAddresses[]) =>
  launchpads.flatMap(({ launchpad, contracts }) => {
    const curves = evmLaunchpads.get(launchpad)!.curves;
    return curves === undefined ? [] : [{ venue: curves.venue, factory: contracts.factory! }];
  });

describe('catalogue', () => {
  it('has every chain with the venues that its folder gives addresses of', () => {
    expect(servedChains().map(({ slug }) => slug)).toEqual(chainManifests.slugs);
    for (const manifest of chainManifests.all) {
      const spec = chainSpec(manifest.slug)!;
      const empty = { venues: [], launchpads: [], pinnedHooks: [], launchContracts: [] };
      expect({ ...spec, ...empty }).toEqual({ ...manifest, ...empty });
      for (const venue of spec.venues) {
        expect(venue.id).toBe(`${spec.slug}-${venue.venue}`);
        expect(venue.aliases).toContain(venue.id);
      }
      if (manifest.family !== 'evm') continue;
      expect(spec.venues.map(({ venue, factory }) => ({ venue, factory }))).toEqual(
        [...manifest.venues, ...curvesOf(manifest.launchpads)].map(({ venue, factory }) => ({ venue, factory })),
      );
    }
    expect(chainSpec('sol')!.venues.length).toBeGreaterThan(solanaVenues.length);
    expect([...evmCurves.keys()]).toEqual(['tidepool']);
    expect(chainSpec('eth')!.launchpads).toEqual(['tidepool']);
    expect(chainSpec('nowhere')).toBeNull();
    const started = configurableChains.map(({ slug }) => slug);
    expect([...started].sort()).toEqual([...chainManifests.slugs].sort());
    expect(started[0]).toBe('eth');
  });

  it('gives the router what the venue knows at the addresses of the chain', () => {
    const [v2, v3] = chainSpec('bsc')!.venues;
    expect(v2!.aliases).toEqual(['bsc-pancakeswap-v2', 'DexB V2', 'bsc-dexb-v2']);
    expect(v2!.contracts).toMatchObject({
      router: '10ed43c718714eb63d5aa57b78b54704e256024e',
      fee: { numerator: 9975 },
    });
    expect(v3!.contracts!.quoter).toEqual({
      address: 'b048bbc1ee6b733fffcfb9e9cef7375518e25997',
      abi: 'quoter-v2',
      factoryGetter: 'factory',
      wrappedNativeGetter: 'WETH9',
    });
    const routers = ['eth', 'chaind'].map((slug) => {
      const v2 = chainSpec(slug)!.venues.find(({ venue }) => venue === 'uniswap-v2');
      return v2!.contracts!.code.router!.source;
    });
    expect(routers).toEqual([
      '@uniswap/v2-periphery 1.1.0-beta.0, UniswapV2Router02',
      'UniswapV2Router02 as it stands on chain 4663',
    ]);
  });

  it('refuses a venue twice, an unknown one, one without an address, and an unknown launchpad', () => {
    const eth = resolveChain('eth');
    const [v2] = eth.venues;
    const joined = (change: object) => () => joinChain({ ...eth, ...change }, registered);
    expect(joined({ venues: [v2!, v2!] })).toThrow('venue uniswap-v2 registered twice on eth');
    expect(joined({ venues: [{ ...v2!, venue: 'nowhere' }] })).toThrow('venue nowhere is not registered');
    expect(joined({ venues: [{ ...v2!, contracts: {} }] })).toThrow('uniswap-v2 needs its router');
    expect(joined({ launchpads: [{ launchpad: 'nowhere', contracts: {}, sources: [] }] })).toThrow('nowhere is not');
    const pad = { launchpad: 'pad', hooks: { locker: 'ab'.repeat(32) } };
    expect(registerLaunchpads([pad]).get('pad')).toBe(pad);
    const withPad = { ...registered, evm: { venues: evmVenues, launchpads: registerLaunchpads([pad]) } };
    const padAt = (contracts: Record<string, string>) =>
      joinChain({ ...eth, launchpads: [{ launchpad: 'pad', contracts, sources: [] }] }, withPad);
    const pinnedHooks = [{ address: '12'.repeat(20), codeHash: 'ab'.repeat(32) }];
    expect(padAt({ locker: '12'.repeat(20) })).toMatchObject({ launchpads: ['pad'], pinnedHooks });
    expect(() => padAt({})).toThrow('pad needs its locker');
    const withoutFactory = [{ launchpad: 'tidepool', contracts: {}, sources: [] }];
    expect(joined({ launchpads: withoutFactory })).toThrow('tidepool needs its factory');
    expect(() => registerLaunchpads([pad, { ...pad }])).toThrow('launchpad pad registered twice');
  });
});
