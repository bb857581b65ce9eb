import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  CHAIN_TO_ADDRESSES_MAP,
  type ChainId,
  NONFUNGIBLE_POSITION_MANAGER_ADDRESSES,
  SWAP_ROUTER_02_ADDRESSES,
  V2_FACTORY_ADDRESSES,
  V2_ROUTER_ADDRESSES,
  WETH9,
} from '@uniswap/sdk-core';
import { getAddress, keccak256 } from 'viem';
import { mainnet, robinhood, base as viemBase, bsc as viemBsc } from 'viem/chains';
import type { ExpectedCode } from '#libs/chain/chains/evm/expected-code.js';
import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import type { EvmVenueModule } from '#libs/chain/market-ports/evm/evm-venue.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { isHex } from '#libs/core/ids.js';
import { chainSpec } from './catalogue.js';

/** The chains whose addresses packages state. */
const evmChains = ['eth', 'bsc', 'base', 'chaind'].map((slug) => chainSpec(slug)!);
const hex = (text: string): string => text.slice(2).toLowerCase();

describe('manifests', () => {
  it('have the addresses of the Uniswap packages', () => {
    for (const spec of evmChains.filter(({ slug }) => slug !== 'bsc')) {
      const id = spec.chainId! as ChainId;
      const stated = CHAIN_TO_ADDRESSES_MAP[id as keyof typeof CHAIN_TO_ADDRESSES_MAP];
      const [v2, v3] = routedVenues(spec);
      expect(v2!.factory).toBe(hex(V2_FACTORY_ADDRESSES[id]!));
      expect(v2!.contracts!.router).toBe(hex(V2_ROUTER_ADDRESSES[id]!));
      expect(v3!.factory).toBe(hex(stated.v3CoreFactoryAddress));
      expect(v3!.contracts!.router).toBe(hex(SWAP_ROUTER_02_ADDRESSES(id)));
      expect(spec.wrappedNative.token).toBe(hex(WETH9[id]!.address));
      // The package still names the first quoter of mainnet, which has another interface.
      if (spec.slug !== 'eth') expect(v3!.contracts!.quoter!.address).toBe(hex(stated.quoterAddress));
    }
  });

  it('have the ids, coins and multicall3 of viem’s chains', () => {
    const stated = { eth: mainnet, bsc: viemBsc, base: viemBase, chaind: robinhood };
    for (const spec of evmChains) {
      const chain = stated[spec.slug as keyof typeof stated];
      expect(spec.chainId).toBe(chain.id);
      expect(spec.nativeCurrency).toEqual(chain.nativeCurrency);
      expect(spec.evm!.multicall3).toBe(hex(chain.contracts.multicall3.address));
      if ('blockTime' in chain) expect(spec.blockTimeMs).toBe(chain.blockTime);
    }
  });

  it('agree with the decoders about protocol and fee, and name real pages', () => {
    for (const spec of evmChains) {
      expect(routedVenues(spec).map((venue) => venue.protocol)).toEqual(['v2', 'v3']);
      for (const venue of routedVenues(spec)) {
        const decoder = evmVenues.get(venue.venue)!;
        expect([decoder.protocol, decoder.label]).toEqual([venue.protocol, venue.label]);
        const contracts = venue.contracts!;
        if (contracts.fee) {
          const { numerator, denominator } = contracts.fee;
          expect(pairFeePpm(decoder)).toBe(((denominator - numerator) * 1_000_000) / denominator);
        } else {
          expect(contracts.feeTiers!.length).toBe(4);
          expect(contracts.quoter && 'quoter' in contracts.code).toBe(true);
        }
        for (const source of contracts.sources) expect(new URL(source).protocol).toBe('https:');
        for (const address of [contracts.router, contracts.quoter?.address ?? venue.factory]) {
          expect(isHex(address, 20)).toBe(true);
          expect(getAddress(`0x${address}`)).toMatch(/^0x/);
        }
      }
      for (const token of spec.evm!.intermediates) expect(isHex(token, 20)).toBe(true);
      expect(spec.evm!.intermediates).toContain(spec.wrappedNative.token);
    }
  });

  it('expect whole code where they expect what stands on the chain', () => {
    const fromPackages = new Set(artifactCodes().map(({ expected }) => expected.hash));
    const observed = new Map<string, ExpectedCode>();
    for (const { contracts } of evmChains.flatMap(routedVenues)) {
      for (const code of Object.values(contracts!.code)) {
        if (code && !fromPackages.has(code.hash)) observed.set(code.source, code);
      }
    }
    expect(observed.size).toBe(6);
    for (const expected of observed.values()) {
      expect([isHex(expected.hash, 32), expected.immutables]).toEqual([true, []]);
    }
    const unproven = evmChains.flatMap((spec) =>
      routedVenues(spec).flatMap(({ id, contracts }) =>
        Object.entries(contracts!.code).flatMap(([part, code]) => (code === null ? [`${id} ${part}`] : [])),
      ),
    );
    expect(unproven).toEqual(['bsc-pancakeswap-v2 factory', 'bsc-pancakeswap-v2 router', 'bsc-pancakeswap-v3 router']);
  });

  it('expect what stands on the real chains: the package’s code with the manifest’s addresses has the hash seen there', () => {
    // keccak-256 of the whole code at the address, as public registries of deployments state it.
    const seen: Record<string, string> = {
      'eth-uniswap-v2 factory': 'bab145d02e7005f0d84c6c1639d39b799b0ea16df99ebbdaf5a14d9da820b4e0',
      'eth-uniswap-v2 router': 'a324bc7db3d091b6f1a2d526e48a9c7039e03b3cc35f7d44b15ac7a1544c11d2',
      'eth-uniswap-v3 factory': '4d7b8525cd5d14343fa67a732fba5b24cddba11620ca88392f4ec6c52f91fd69',
      'eth-uniswap-v3 router': '6ec798e80f3a19de650826338677604e54d6664f44a33b53a20b22b1939f402e',
      'eth-uniswap-v3 quoter': '06148f47d0f41a68d3bc970030a7150e5d608cfbc28d372440a2e41ce543d92b',
      'bsc-pancakeswap-v3 factory': '8191d3ab1d55d3da9822199f28865415c99566b6f1aee4a4b16713f57930678c',
      'base-uniswap-v2 factory': 'bab145d02e7005f0d84c6c1639d39b799b0ea16df99ebbdaf5a14d9da820b4e0',
      'base-uniswap-v3 factory': '95707a4ac71f20181a63ef7d180e3c625be5d20fc8f6f980befa966bad568132',
      'base-uniswap-v3 router': '38bd640f47df62b2fd5a6755a63f4976ad847dc9b946ae0d145d21d16bb124e4',
      'base-uniswap-v3 quoter': 'ceb5b8bc35e09fc64b1c48c6b920e0d2e37d5710e4f3ef214e1a81f75acee51e',
      'chaind-uniswap-v2 factory': 'bab145d02e7005f0d84c6c1639d39b799b0ea16df99ebbdaf5a14d9da820b4e0',
      'chaind-uniswap-v3 factory': 'ec72b1abd1f2faee020cfea9c646bd8994f9fb389054f6e574f103a895091739',
      'chaind-uniswap-v3 router': '6f36c378e272c6324c48f045182bcb54bd8ad654cf9ebd42e8893d52c4cb25dc',
      'chaind-uniswap-v3 quoter': '3db0868d945e9304c9bc6a8b2181948109ea617647142f3c4083e14393496a28',
    };
    // Base's SwapRouter02 was made before there was a V2 on Base.
    const v2FactoryOf: Record<string, string> = { base: '0'.repeat(40) };
    const byHash = new Map(artifactCodes().map(({ expected, code }) => [expected.hash, code]));
    const found: Record<string, string> = {};
    for (const spec of evmChains) {
      for (const { id, factory, contracts } of routedVenues(spec)) {
        const { code: expectations, router, quoter } = contracts!;
        const self: Record<string, string> = { factory, router, quoter: quoter?.address ?? '' };
        for (const [part, expected] of Object.entries(expectations)) {
          const code = expected === null ? undefined : byHash.get(expected.hash);
          if (expected === null || code === undefined) continue;
          const bytes = Buffer.from(code, 'hex');
          const unchecked: string[] =
            expected === evmVenues.get('pancakeswap-v3')!.routing!.code.factory
              ? new Array(2).fill('41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9')
              : [
                  ...new Array(6).fill(v2FactoryOf[spec.slug] ?? routedVenues(spec)[0]!.factory),
                  ...new Array(4).fill(positionManager(spec.chainId!)),
                ];
          for (const [offset, , holds] of expected.immutables) {
            const known = { factory, wrappedNative: spec.wrappedNative.token, self: self[part]! };
            bytes.write(holds === 'unchecked' ? unchecked.shift()! : known[holds], offset, 'hex');
          }
          found[`${id} ${part}`] = keccak256(bytes).slice(2);
        }
      }
    }
    // Too few sources state the code of Base's V2 router: only the chain shows whether it is the package's.
    delete found['base-uniswap-v2 router'];
    expect(found).toEqual(seen);
  });

  it('expect the code that the packages carry, with the immutables that are zero in it', () => {
    for (const { expected, code } of artifactCodes()) {
      expect(keccak256(`0x${code}`)).toBe(`0x${expected.hash}`);
      for (const [offset, length] of expected.immutables) {
        expect(code.slice(offset * 2, (offset + length) * 2)).toBe('00'.repeat(length));
        // Each is the tail of a PUSH32 of zeros.
        expect(code.slice((offset - 13) * 2, offset * 2)).toBe(`7f${'00'.repeat(12)}`);
      }
    }
  });
});

/** The fee that a V2 fork records for every pair. */
function pairFeePpm(venue: EvmVenueModule): number {
  const [pool, factory, ...tokens] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40)) as [string, string, string];
  const answers = [factory, ...tokens].map((address) => address.padStart(64, '0'));
  return venue.probe.claim(pool, { venue, factory, contracts: {}, coin: '', trustedHooks: new Set() }, answers)!.feePpm;
}

const positionManager = (chainId: number): string => hex(NONFUNGIBLE_POSITION_MANAGER_ADDRESSES[chainId as ChainId]!);

/** Deployed bytecode of the packages' artifacts, without 0x, with what is expected of it. */
function artifactCodes(): { expected: ExpectedCode; code: string }[] {
  const require = createRequire(import.meta.url);
  const artifacts = {
    'uniswap-v2 factory': '@uniswap/v2-core/build/UniswapV2Factory.json',
    'uniswap-v2 router': '@uniswap/v2-periphery/build/UniswapV2Router02.json',
    'uniswap-v3 factory': '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
    'uniswap-v3 router': '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
    'uniswap-v3 quoter': '@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
    'pancakeswap-v3 factory': '@pancakeswap/v3-core/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json',
  };
  return Object.entries(artifacts).map(([name, path]) => {
    const [venue, part] = name.split(' ') as [string, 'factory' | 'router' | 'quoter'];
    const raw = JSON.parse(readFileSync(require.resolve(path), 'utf8'));
    const text: string = raw.evm?.deployedBytecode.object ?? raw.deployedBytecode;
    const expected = evmVenues.get(venue)!.routing!.code[part]!;
    return { expected, code: text.startsWith('0x') ? text.slice(2) : text };
  });
}
