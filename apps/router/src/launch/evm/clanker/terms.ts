import { encodeAbiParameters, type Hex as Prefixed, parseAbiParameters, zeroAddress } from 'viem';

/**
 * What every token that is made here has of Clanker v4: the contracts that its makers publish for the chain, and the pool, the
 * fees and the first seconds that its SDK takes where nothing is said.
 */
export interface ClankerContracts {
  readonly locker: Prefixed;
  readonly hook: Prefixed;
  readonly mevModule: Prefixed;
  readonly devBuy: Prefixed;
}

/** By the slug of the chain; the factory is the chain's own (libs/chain/chains). */
export const CLANKER_CONTRACTS: Readonly<Record<string, ClankerContracts>> = {
  base: {
    locker: '0x63d2dfea64b3433f4071a98665bcd7ca14d93496',
    hook: '0xb429d62f8f3bffb98cdb9569533ea23bf0ba28cc',
    mevModule: '0xebb25bb797d82cb78e1bc70406b13233c0854413',
    devBuy: '0x1331f0788f9c08c8f38d52c7a1152250a9de00be',
  },
};

/** All of the hundred billion tokens are in one position, from about 10 coins for all of them up. */
export const POOL = { startingTick: -230_400, lastTick: -120_000, tickSpacing: 200 } as const;
/** Says that the hook sets the fee. */
export const DYNAMIC_FEE = 0x800000;

const FEE_1_PERCENT = 10_000;
const BOTH_SIDES = 0;
/** Parts of a million, and seconds. */
const SNIPERS = { startingFee: 666_777, endingFee: 41_673, secondsToDecay: 15n } as const;

const feeData = encodeAbiParameters(parseAbiParameters('uint24, uint24'), [FEE_1_PERCENT, FEE_1_PERCENT]);

/** No extension of the pool; 1% on buys and on sells. */
export const POOL_DATA = encodeAbiParameters(
  parseAbiParameters(['Data data', 'struct Data { address extension; bytes extensionData; bytes feeData; }']),
  [{ extension: zeroAddress, extensionData: '0x', feeData }],
);

/** The creator's share of the fees comes in whichever token it was taken in. */
export const LOCKER_DATA = encodeAbiParameters(
  parseAbiParameters(['Data data', 'struct Data { uint8[] feePreference; }']),
  [{ feePreference: [BOTH_SIDES] }],
);

/** A fee for those who come in the first seconds. The creator's own buy is before it. */
export const MEV_DATA = encodeAbiParameters(
  parseAbiParameters(['Data data', 'struct Data { uint24 startingFee; uint24 endingFee; uint256 secondsToDecay; }']),
  [SNIPERS],
);

const NO_POOL = { currency0: zeroAddress, currency1: zeroAddress, fee: 0, tickSpacing: 0, hooks: zeroAddress };

/** The pool pairs with the wrapped coin: the buy goes through no other, and the floor that could be set would be of that one. */
export const devBuyData = (recipient: Prefixed): Prefixed =>
  encodeAbiParameters(
    parseAbiParameters([
      'PoolKey key, uint128 leastPaired, address recipient',
      'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
    ]),
    [NO_POOL, 0n, recipient],
  );
