import { createRequire } from 'node:module';
import type { QuoteWorld } from './quote-world.js';

const require = createRequire(import.meta.url);
const BN = require('bn.js');
const { PublicKey } = require('@solana/web3.js');

export interface SdkFees {
  lpFeeBps: { toString(): string };
  protocolFeeBps: { toString(): string };
  creatorFeeBps: { toString(): string };
}

export const sdkFees = (lp: number | bigint, protocol: number | bigint, creator: number | bigint): SdkFees => ({
  lpFeeBps: new BN(String(lp)),
  protocolFeeBps: new BN(String(protocol)),
  creatorFeeBps: new BN(String(creator)),
});

/** A fee configuration as the SDKs of pump.fun and PumpSwap hold it. */
export interface SdkFeeConfig {
  bump: number;
  admin: unknown;
  flatFees: SdkFees;
  feeTiers: { marketCapLamportsThreshold: unknown; fees: SdkFees }[];
  stableFeeTiers: { marketCapLamportsThreshold: unknown; fees: SdkFees }[];
  exoticFlatFees: SdkFees;
}

/** One rate for everything. */
export const flatConfig = (fees: SdkFees): SdkFeeConfig => ({
  bump: 1,
  admin: PublicKey.default,
  flatFees: fees,
  feeTiers: [{ marketCapLamportsThreshold: new BN(0), fees }],
  stableFeeTiers: [{ marketCapLamportsThreshold: new BN(0), fees }],
  exoticFlatFees: sdkFees(0, 0, 0),
});

/** Tiers from a market cap of 2^20 to one of 2^64, exotic rates on some. */
export function randomConfig({ random }: QuoteWorld): SdkFeeConfig {
  const fees = () => sdkFees(random.int(0, 60), random.int(0, 200), random.int(0, 200));
  const tiers = (count: number) => {
    const powers = Array.from({ length: count }, () => random.int(20, 64)).sort((a, b) => a - b);
    return powers.map((power, nth) => ({
      marketCapLamportsThreshold: new BN(nth === 0 ? '0' : String(2n ** BigInt(power))),
      fees: fees(),
    }));
  };
  return {
    bump: 1,
    admin: PublicKey.default,
    flatFees: fees(),
    feeTiers: tiers(random.int(1, 8)),
    stableFeeTiers: tiers(random.int(1, 8)),
    exoticFlatFees: random.chance(0.5) ? fees() : sdkFees(0, 0, 0),
  };
}

/** As long as the fee program makes the account today. */
export const wholeConfig = (data: Uint8Array): Uint8Array => Buffer.concat([data, Buffer.alloc(6_000 - data.length)]);
