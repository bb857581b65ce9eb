import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  CHAIN_TO_ADDRESSES_MAP,
  type ChainId,
  SWAP_ROUTER_02_ADDRESSES,
  V2_FACTORY_ADDRESSES,
  V2_ROUTER_ADDRESSES,
  WETH9,
} from '@uniswap/sdk-core';
import { getAddress, keccak256 } from 'viem';
import { mainnet, robinhood, base as viemBase, bsc as viemBsc } from 'viem/chains';
import { isHex } from '#libs/core/ids.js';
import { evmVenues } from '#libs/venues/registry.js';
import type { ExpectedCode } from './chain-spec.js';
import * as observedCode from './observed-code.js';
import * as provenCode from './proven-code.js';
import { servedChains } from './registry.js';

const evmChains = servedChains().filter((spec) => spec.family === 'evm');
const hex = (text: string): string => text.slice(2).toLowerCase();

describe('manifests', () => {
  it('have the addresses of the Uniswap packages', () => {
    for (const spec of evmChains.filter(({ slug }) => slug !== 'bsc')) {
      const id = spec.chainId! as ChainId;
      const stated = CHAIN_TO_ADDRESSES_MAP[id as keyof typeof CHAIN_TO_ADDRESSES_MAP];
      const [v2, v3] = spec.venues;
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
      expect(spec.venues.map((venue) => venue.protocol)).toEqual(['v2', 'v3']);
      for (const venue of spec.venues) {
        const decoder = evmVenues.get(venue.venue)!;
        expect([decoder.protocol, decoder.kind]).toEqual([venue.protocol, venue.kind]);
        const contracts = venue.contracts!;
        if (contracts.fee) {
          const { numerator, denominator } = contracts.fee;
          expect(decoder.fixedFeePpm).toBe(((denominator - numerator) * 1_000_000) / denominator);
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
    for (const expected of Object.values<ExpectedCode>(observedCode)) {
      expect([isHex(expected.hash, 32), expected.immutables]).toEqual([true, []]);
    }
    const unproven = evmChains.flatMap((spec) =>
      spec.venues.flatMap(({ id, contracts }) =>
        Object.entries(contracts!.code).flatMap(([part, code]) => (code === null ? [`${id} ${part}`] : [])),
      ),
    );
    expect(unproven).toEqual(['bsc-pancakeswap-v2 factory', 'bsc-pancakeswap-v2 router', 'bsc-pancakeswap-v3 router']);
  });

  it('expect the code that the packages carry, with the immutables that are zero in it', () => {
    const require = createRequire(import.meta.url);
    const artifacts = {
      uniswapV2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
      uniswapV2Router02: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
      uniswapV3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
      swapRouter02: '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
      quoterV2: '@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
      pancakeV3Factory: '@pancakeswap/v3-core/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json',
    };
    expect(Object.keys(provenCode).sort()).toEqual(Object.keys(artifacts).sort());
    for (const [name, expected] of Object.entries<ExpectedCode>(provenCode)) {
      const path = artifacts[name as keyof typeof artifacts];
      const raw = JSON.parse(readFileSync(require.resolve(path), 'utf8'));
      const text: string = raw.evm?.deployedBytecode.object ?? raw.deployedBytecode;
      const code = text.startsWith('0x') ? text.slice(2) : text;
      expect(keccak256(`0x${code}`)).toBe(`0x${expected.hash}`);
      for (const [offset, length] of expected.immutables) {
        expect(code.slice(offset * 2, (offset + length) * 2)).toBe('00'.repeat(length));
        // Each is the tail of a PUSH32 of zeros.
        expect(code.slice((offset - 13) * 2, offset * 2)).toBe(`7f${'00'.repeat(12)}`);
      }
    }
  });
});
