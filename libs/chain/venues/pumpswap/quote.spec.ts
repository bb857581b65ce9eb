import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { PUMP_FEE_PROGRAM } from '#libs/chain/market-ports/solana/pump-fees.js';
import {
  flatConfig,
  randomConfig,
  type SdkFeeConfig,
  sdkFees,
  wholeConfig,
} from '#libs/chain/market-ports/solana/test/pump-fee-config.js';
import { expectNoThrow, QuoteWorld, readPool } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { PUMPSWAP_CONFIG, PUMPSWAP_FEES, pumpSwapPools } from './quote.js';

const require = createRequire(import.meta.url);
const BN = require('bn.js');
const { PublicKey } = require('@solana/web3.js');
const sdk = require('@pump-fun/pump-swap-sdk');
const coder = sdk.OFFLINE_PUMP_AMM_PROGRAM.coder.accounts;

const NO_KEY = '11111111111111111111111111111111';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const bn = (value: bigint) => new BN(String(value));
const int = (value: { toString(): string }) => BigInt(value.toString());

interface Shape {
  base: bigint;
  quote: bigint;
  fees: SdkFeeConfig;
  supply?: bigint;
  quoteMint?: string;
  launched?: boolean;
  coinCreator?: string;
  virtualQuote?: bigint;
  mayhem?: boolean;
  creatorRate?: bigint;
  creatorRates?: boolean;
  disableFlags?: number;
}

/** A pool with all that its quotes need in account bytes, by the SDK's own coder; and what the SDK's quotes take. */
async function poolIn(world: QuoteWorld, shape: Shape) {
  const baseMint = new PublicKey(world.key());
  const creator = shape.launched ? sdk.pumpPoolAuthorityPda(baseMint) : new PublicKey(world.key());
  const quoteMint = new PublicKey(shape.quoteMint ?? WRAPPED_SOL);
  const [baseVault, quoteVault] = [world.key(), world.key()];
  const pool = {
    poolBump: 1,
    index: 0,
    creator,
    baseMint,
    quoteMint,
    lpMint: new PublicKey(world.key()),
    poolBaseTokenAccount: new PublicKey(baseVault),
    poolQuoteTokenAccount: new PublicKey(quoteVault),
    lpSupply: new BN(7),
    coinCreator: new PublicKey(shape.coinCreator ?? world.key()),
    isMayhemMode: shape.mayhem ?? false,
    isCashbackCoin: false,
    virtualQuoteReserves: bn(shape.virtualQuote ?? 0n),
    creatorFeeBps: bn(shape.creatorRate ?? 0n),
    canEditCreatorFee: false,
  };
  const keys = (count: number) => Array.from({ length: count }, () => new PublicKey(world.key()));
  const globalConfig = {
    admin: keys(1)[0],
    lpFeeBasisPoints: new BN(20),
    protocolFeeBasisPoints: new BN(5),
    disableFlags: shape.disableFlags ?? 0,
    protocolFeeRecipients: keys(8),
    coinCreatorFeeBasisPoints: new BN(5),
    adminSetCoinCreatorAuthority: keys(1)[0],
    whitelistPda: keys(1)[0],
    reservedFeeRecipient: keys(1)[0],
    mayhemModeEnabled: true,
    reservedFeeRecipients: keys(7),
    isCashbackEnabled: true,
    buybackFeeRecipients: keys(8),
    buybackBasisPoints: new BN(5_000),
    boostAuthority: keys(1)[0],
    boostEnabled: true,
    creatorFeeConfigurable: shape.creatorRates ?? false,
    maxConfigurableCreatorFeeBps: new BN(500),
  };
  world.put(PUMPSWAP_CONFIG, pumpSwapPools.program, await coder.encode('globalConfig', globalConfig));
  world.put(PUMPSWAP_FEES, PUMP_FEE_PROGRAM, wholeConfig(await coder.encode('feeConfig', shape.fees)));
  const supply = shape.supply ?? 1_000_000_000_000_000n;
  world.mint(baseMint.toBase58(), supply);
  world.vault(baseVault, baseMint.toBytes(), shape.base);
  world.vault(quoteVault, quoteMint.toBytes(), shape.quote);
  const address = world.put(world.key(), pumpSwapPools.program, await coder.encode('pool', pool));
  const asked = {
    ...pool,
    slippage: 0,
    baseReserve: bn(shape.base),
    quoteReserve: bn(shape.quote),
    globalConfig,
    baseMintAccount: { supply },
    feeConfig: shape.fees,
  };
  return { address, asked };
}

type Fields = Record<string, string>;
const trades = (
  JSON.parse(readFileSync(join(process.cwd(), 'libs/chain/venues/pumpswap/fixtures/trades.json'), 'utf8')) as {
    trades: Fields[];
  }
).trades;
const events = recordedEvents;

/** The pool right before a recorded trade, paying the rates that its event states. */
async function recordedPool(world: QuoteWorld, fields: Fields) {
  const rate = (name: string) => Number(fields[name] ?? 0);
  const { address } = await poolIn(world, {
    base: BigInt(fields.pool_base_token_reserves!),
    quote: BigInt(fields.pool_quote_token_reserves!),
    fees: flatConfig(
      sdkFees(rate('lp_fee_basis_points'), rate('protocol_fee_basis_points'), rate('coin_creator_fee_basis_points')),
    ),
    coinCreator: fields.coin_creator ?? NO_KEY,
  });
  return readPool(pumpSwapPools, address, world)!;
}

/** Spending a given quote, an output costs a unit more than the instruction that names it, and what the fees' rounding takes. */
function expectEnough(state: SolanaPoolState, amountOut: bigint): boolean {
  const { amountIn } = state.exactOut(false, amountOut)!;
  if (amountIn + 16n >= 1n << 64n) return false;
  const given = (more: bigint): bigint => state.exactIn(false, amountIn + more)?.amountOut ?? 0n;
  expect({ amountIn, less: given(-1n) < amountOut, enough: given(16n) >= amountOut }).toEqual({
    ...{ amountIn, less: true, enough: true },
  });
  return true;
}

/** Nothing where the SDK divides by nothing. */
function orNothing(quote: () => bigint): bigint {
  try {
    return quote();
  } catch (error) {
    if (/denominator is zero/.test((error as Error).message)) return 0n;
    throw error;
  }
}

describe('quotes of PumpSwap', () => {
  it('are those of the trades recorded on mainnet, to the unit', async () => {
    const world = new QuoteWorld(new SeededRandom(1));
    const more = events.events.filter(({ test }) => test.includes('pumpfun_amm'));
    expect([trades.length, more.length]).toEqual([3, 2]);
    const buys = [...trades, ...more.map(({ fields }) => fields).filter(({ base_amount_out }) => base_amount_out)];
    expect(buys).toHaveLength(4);
    for (const buy of buys) {
      const state = await recordedPool(world, buy);
      const fee = BigInt(buy.lp_fee!) + BigInt(buy.protocol_fee!) + BigInt(buy.coin_creator_fee!);
      const amountOut = BigInt(buy.base_amount_out!);
      expect({ buy, quote: state.exactOut(false, amountOut) }).toEqual({
        buy,
        quote: { amountIn: BigInt(buy.user_quote_amount_in!), amountOut, fee, feeSide: 'input' },
      });
      expectEnough(state, amountOut);
    }
    const { fields: sold } = more.find(({ fields }) => fields.base_amount_in)!;
    const state = await recordedPool(world, sold);
    expect(state.exactIn(true, BigInt(sold.base_amount_in!))).toEqual({
      amountIn: BigInt(sold.base_amount_in!),
      amountOut: BigInt(sold.user_quote_amount_out!),
      fee: BigInt(sold.lp_fee!) + BigInt(sold.protocol_fee!) + BigInt(sold.coin_creator_fee!),
      feeSide: 'output',
    });
    expect(state.exactOut(true, 1n)).toBeNull();
  });

  it('agree with the SDK on random pools of every fee schedule', async () => {
    const counts = { buys: 0, sells: 0, enough: 0 };
    for (const seed of propertySeeds(scaled(1_000, 60))) {
      const world = new QuoteWorld(new SeededRandom(seed));
      const { random } = world;
      const [base, quote] = [world.amount(58), world.amount(58)];
      const virtualQuote = random.chance(0.6) ? 0n : random.chance(0.5) ? world.amount(58) : -world.below(quote);
      const { address, asked } = await poolIn(world, {
        base,
        quote,
        virtualQuote,
        fees: randomConfig(world),
        supply: world.amount(60),
        quoteMint: random.pick([WRAPPED_SOL, USDC, world.key()]),
        launched: random.chance(0.7),
        ...(random.chance(0.3) ? { coinCreator: NO_KEY } : {}),
        mayhem: random.chance(0.3),
        creatorRate: random.chance(0.5) ? BigInt(random.int(1, 500)) : 0n,
        creatorRates: random.chance(0.5),
      });
      const state = readPool(pumpSwapPools, address, world)!;
      expect([state.reserveA, state.reserveB]).toEqual([base, quote]);
      expect(state.spot).toEqual({ numerator: quote + virtualQuote, denominator: base });

      const wanted = world.below(base) + 1n;
      if (wanted < base) {
        const theirs = sdk.buyBaseInput({ ...asked, base: bn(wanted) });
        expect({ seed, wanted, cost: state.exactOut(false, wanted)!.amountIn }).toEqual({
          seed,
          wanted,
          cost: int(theirs.uiQuote),
        });
        counts.buys++;
        if (expectEnough(state, wanted)) counts.enough++;
      }
      const spent = world.amount(58);
      const bought = state.exactIn(false, spent)?.amountOut ?? 0n;
      // Where nothing but the fee is left of what is spent, the SDK computes with less than nothing, or refuses to.
      const theirs = orNothing(() => int(sdk.buyQuoteInput({ ...asked, quote: bn(spent) }).base));
      expect({ seed, spent, bought }).toEqual({ seed, spent, bought: theirs > 0n && theirs < base ? theirs : 0n });

      const sold = world.amount(58);
      const got = state.exactIn(true, sold);
      if (got !== null) {
        expect({ seed, sold, got: got.amountOut }).toEqual({
          seed,
          sold,
          got: int(sdk.sellBaseInput({ ...asked, base: bn(sold) }).uiQuote),
        });
        counts.sells++;
      }
    }
    expect(counts.buys).toBeGreaterThan(scaled(1_000, 60) * 0.8);
    expect(counts.sells).toBeGreaterThan(scaled(1_000, 60) * 0.5);
    expect(counts.enough).toBeGreaterThan(scaled(1_000, 60) * 0.8);
  });

  it('know the accounts of the programs by the addresses that these derive', () => {
    const seed = (text: string) => Buffer.from(text);
    expect(deriveAddress(pumpSwapPools.program, [seed('global_config')])).toBe(PUMPSWAP_CONFIG);
    expect(deriveAddress(PUMP_FEE_PROGRAM, [seed('fee_config'), decodeBase58(pumpSwapPools.program)!])).toBe(
      PUMPSWAP_FEES,
    );
  });

  it('stop where the program does: one way off, a pool bought empty, more than the vault holds', async () => {
    const world = new QuoteWorld(new SeededRandom(5));
    const shape = { base: 1_000_000n, quote: 1_000_000n, fees: flatConfig(sdkFees(20, 5, 5)) };
    const off = async (disableFlags: number) => {
      const state = readPool(pumpSwapPools, (await poolIn(world, { ...shape, disableFlags })).address, world)!;
      return [state.exactIn(false, 5_000n), state.exactOut(false, 50n), state.exactIn(true, 5_000n)].map(Boolean);
    };
    expect(await off(0)).toEqual([true, true, true]);
    expect(await off(8)).toEqual([false, false, true]);
    expect(await off(16)).toEqual([true, true, false]);
    const state = readPool(pumpSwapPools, (await poolIn(world, shape)).address, world)!;
    expect([state.exactOut(false, 1_000_000n), state.exactOut(true, 1n)]).toEqual([null, null]);
    expect(state.exactOut(false, 999_999n)).not.toBeNull();
    const mostly = { ...shape, quote: 1_000n, virtualQuote: 1_000_000n };
    const virtual = readPool(pumpSwapPools, (await poolIn(world, mostly)).address, world)!;
    expect([virtual.exactIn(true, 900n), virtual.exactIn(true, 100_000n)]).toEqual([
      { amountIn: 900n, amountOut: 896n, fee: 4n, feeSide: 'output' },
      null,
    ]);
    expect(readPool(pumpSwapPools, (await poolIn(world, { ...shape, virtualQuote: -1_000_000n })).address, world)).toBe(
      null,
    );
  });

  it('of pools written before a field was added read it as zero; malformed accounts give null and never throw', async () => {
    const world = new QuoteWorld(new SeededRandom(6));
    const shape = { base: 1n << 40n, quote: 1n << 40n, fees: flatConfig(sdkFees(20, 5, 5)) };
    const { address } = await poolIn(world, { ...shape, virtualQuote: 5n, creatorRate: 100n, creatorRates: true });
    const { data } = world.known.get(address)!;
    const feesAt = (length: number) => {
      world.put(address, pumpSwapPools.program, data.subarray(0, length));
      const state = readPool(pumpSwapPools, address, world)!;
      return [state.spot.numerator - shape.quote, state.exactOut(false, 10_000_000n)!.fee];
    };
    const fees = (bps: bigint[]) => bps.reduce((sum, each) => sum + (10_000_092n * each + 9_999n) / 10_000n, 0n);
    expect(feesAt(270)).toEqual([5n, fees([20n, 5n, 100n])]);
    expect(feesAt(261)).toEqual([5n, fees([20n, 5n, 5n])]);
    expect(feesAt(244)).toEqual([0n, fees([20n, 5n, 5n])]);
    expect(feesAt(211)).toEqual([0n, fees([20n, 5n])]);
    world.put(address, pumpSwapPools.program, data.subarray(0, 210));
    expect([readPool(pumpSwapPools, address, world), pumpSwapPools.identity(data.subarray(0, 210))]).toEqual([
      null,
      null,
    ]);
    world.put(address, pumpSwapPools.program, data);
    expectNoThrow(pumpSwapPools, address, world);
  });
});
