import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { PUMP_FEE_PROGRAM } from '#libs/chain/market-ports/solana/pump-fees.js';
import {
  flatConfig,
  randomConfig,
  type SdkFeeConfig,
  sdkFees,
  wholeConfig,
} from '#libs/chain/market-ports/solana/test/pump-fee-config.js';
import { expectNoThrow, NOON, QuoteWorld, readPool } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { PUMP_FEES, PUMP_GLOBAL, pumpFunCurves } from './quote.js';

const require = createRequire(import.meta.url);
const BN = require('bn.js');
const { PublicKey } = require('@solana/web3.js');
const sdk = require('@pump-fun/pump-sdk');
const coder = sdk.getPumpProgram({}).coder.accounts;

const NO_KEY = '11111111111111111111111111111111';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SUPPLY = 1_000_000_000_000_000n;
const bn = (value: bigint) => new BN(String(value));
const int = (value: { toString(): string }) => BigInt(value.toString());

interface Shape {
  virtualTokens: bigint;
  virtualQuote: bigint;
  realTokens: bigint;
  realQuote: bigint;
  fees: SdkFeeConfig;
  complete?: boolean;
  cashback?: boolean;
  creator?: string;
  mayhem?: boolean;
  quoteMint?: string;
  creatorRate?: bigint;
  creatorRates?: boolean;
  supply?: bigint;
}

/** A curve with all that its quotes need in account bytes, by the SDK's own coder; and what the SDK's quotes take. */
async function curveIn(world: QuoteWorld, shape: Shape) {
  const bondingCurve = {
    virtualTokenReserves: bn(shape.virtualTokens),
    virtualQuoteReserves: bn(shape.virtualQuote),
    realTokenReserves: bn(shape.realTokens),
    realQuoteReserves: bn(shape.realQuote),
    tokenTotalSupply: bn(SUPPLY),
    complete: shape.complete ?? false,
    creator: new PublicKey(shape.creator ?? world.key()),
    isMayhemMode: shape.mayhem ?? false,
    isCashbackCoin: shape.cashback ?? false,
    quoteMint: new PublicKey(shape.quoteMint ?? NO_KEY),
    creatorFeeBps: bn(shape.creatorRate ?? 0n),
    canEditCreatorFee: false,
    isHolderReward: false,
  };
  const keys = (count: number) => Array.from({ length: count }, () => new PublicKey(world.key()));
  const [authority, feeRecipient, withdrawAuthority, setter, adminSetter, whitelist, reserved, claimer] = keys(8);
  const global = {
    initialized: true,
    authority,
    feeRecipient,
    initialVirtualTokenReserves: bn(1_073_000_000_000_000n),
    initialVirtualSolReserves: bn(30_000_000_000n),
    initialRealTokenReserves: bn(793_100_000_000_000n),
    tokenTotalSupply: bn(SUPPLY),
    feeBasisPoints: new BN(95),
    withdrawAuthority,
    enableMigrate: true,
    poolMigrationFee: new BN(15_000_001),
    creatorFeeBasisPoints: new BN(5),
    feeRecipients: keys(7),
    setCreatorAuthority: setter,
    adminSetCreatorAuthority: adminSetter,
    createV2Enabled: true,
    whitelistPda: whitelist,
    reservedFeeRecipient: reserved,
    mayhemModeEnabled: true,
    reservedFeeRecipients: keys(7),
    isCashbackEnabled: true,
    buybackFeeRecipients: keys(8),
    buybackBasisPoints: new BN(5_000),
    initialVirtualQuoteReserves: new BN(1),
    whitelistedQuoteMints: keys(1),
    creatorFeeConfigurable: shape.creatorRates ?? false,
    maxConfigurableCreatorFeeBps: new BN(500),
    holderRewardClaimAuthority: claimer,
    isHolderRewardEnabled: false,
  };
  // The SDK's coder has room for 1000 bytes: the account is put together from its fields by the IDL's own layout.
  const encoded = Buffer.alloc(2_000);
  const layout = coder.accountLayouts.get('global');
  const length = layout.layout.encode(global, encoded);
  const globalData = Buffer.concat([Buffer.from(layout.discriminator), encoded.subarray(0, length)]);
  world.put(PUMP_GLOBAL, pumpFunCurves.program, globalData);
  world.put(PUMP_FEES, PUMP_FEE_PROGRAM, wholeConfig(await coder.encode('feeConfig', shape.fees)));
  const mint = world.key();
  world.mint(mint, shape.supply ?? SUPPLY);
  const of = deriveAddress(pumpFunCurves.program, [Buffer.from('bonding-curve'), decodeBase58(mint)!]);
  const address = world.put(of, pumpFunCurves.program, await coder.encode('bondingCurve', bondingCurve));
  const asked = {
    global,
    feeConfig: shape.fees,
    mintSupply: bn(SUPPLY),
    bondingCurve,
    quoteMint: bondingCurve.quoteMint,
  };
  return { address, mint, asked };
}

/** As the router reads a curve, which knows of its trades what it sells. */
const stateOf = (world: QuoteWorld, { address, mint }: { address: string; mint: string }) =>
  readPool(pumpFunCurves, address, world, NOON, [WRAPPED_SOL, mint]);

const { trades } = JSON.parse(
  readFileSync(join(process.cwd(), 'libs/chain/launchpads/pump-fun/fixtures/trades.json'), 'utf8'),
) as { trades: Record<string, string>[] };
const { pump: events } = recordedEvents;

/** Spends a given quote: its amounts are those of `exactIn`. */
const SPENDS = '2RoRJxatbF9Qkv87jei19u7ei2ckyjjnrCHZBRRAXi4GFJi68kra2iPSk7aoQ9Ugnf5FK5Mdp274hMaVSzn6SN5M';

describe('quotes of pump.fun', () => {
  it('are those of the trades recorded on mainnet, to the unit, every one of them', async () => {
    expect(trades).toHaveLength(13);
    const world = new QuoteWorld(new SeededRandom(1));
    for (const trade of trades) {
      const buy = String(trade.is_buy) === 'true';
      const [sol, tokens] = [BigInt(trade.sol_amount!), BigInt(trade.token_amount!)];
      const curve = await curveIn(world, {
        virtualTokens: BigInt(trade.virtual_token_reserves_before!),
        virtualQuote: BigInt(trade.virtual_sol_reserves_before!),
        realTokens: BigInt(trade.real_token_reserves_after!) + (buy ? tokens : -tokens),
        realQuote: BigInt(trade.real_sol_reserves_after!) + (buy ? -sol : sol),
        fees: flatConfig(sdkFees(0, 95, 30)),
      });
      const state = stateOf(world, curve)!;
      const of = { signature: trade.signature };
      if (trade.signature === SPENDS) {
        // 3 SOL were spent; 95 + 30 basis points of what the curve took went to the fees.
        const swap = state.exactIn(false, 3_000_000_000n);
        expect({ ...of, swap }).toEqual({
          ...of,
          swap: { amountIn: 3_000_000_000n, amountOut: tokens, fee: 3_000_000_000n - sol, feeSide: 'input' },
        });
      } else if (buy) {
        const swap = state.exactOut(false, tokens)!;
        expect({ ...of, out: swap.amountOut, sol: swap.amountIn - swap.fee }).toEqual({ ...of, out: tokens, sol });
      } else {
        const swap = state.exactIn(true, tokens)!;
        expect({ ...of, sol: swap.amountOut + swap.fee }).toEqual({ ...of, sol });
      }
    }
  });

  it('take the fees that recorded trades took', async () => {
    const world = new QuoteWorld(new SeededRandom(2));
    const withFees = events.filter(
      ({ event, fields }) => event === 'TradeEvent' && fields.fee_basis_points !== undefined,
    );
    let checked = 0;
    for (const { signature, fields } of withFees) {
      const number = (name: string) => BigInt(fields[name] as string);
      const buy = String(fields.is_buy) === 'true';
      const [sol, tokens] = [number('sol_amount'), number('token_amount')];
      const rates = sdkFees(0, number('fee_basis_points'), number('creator_fee_basis_points'));
      const curve = await curveIn(world, {
        virtualTokens: number('virtual_token_reserves') + (buy ? tokens : -tokens),
        virtualQuote: number('virtual_sol_reserves') + (buy ? -sol : sol),
        realTokens: number('real_token_reserves') + (buy ? tokens : -tokens),
        realQuote: number('real_sol_reserves') + (buy ? -sol : sol),
        fees: flatConfig(rates),
      });
      const state = stateOf(world, curve)!;
      const fee = number('fee') + number('creator_fee');
      const spends = String(fields.ix_name).includes('exact');
      const swap = spends
        ? state.exactIn(false, sol + fee)
        : buy
          ? state.exactOut(false, tokens)
          : state.exactIn(true, tokens);
      const amounts = buy ? { amountIn: sol + fee, amountOut: tokens } : { amountIn: tokens, amountOut: sol - fee };
      expect({ signature, ...swap }).toEqual({ signature, ...amounts, fee, feeSide: buy ? 'input' : 'output' });
      checked++;
    }
    expect(checked).toBe(2);
  });

  it('agree with the SDK on random curves of every fee schedule', async () => {
    const counts = { buys: 0, sells: 0, between: 0 };
    for (const seed of propertySeeds(scaled(1_000, 60))) {
      const world = new QuoteWorld(new SeededRandom(seed));
      const { random } = world;
      const [virtualTokens, virtualQuote] = [world.amount(56) + 1n, world.amount(56)];
      const [realTokens, realQuote] = [world.below(virtualTokens), world.below(virtualQuote)];
      const mayhem = random.chance(0.2);
      const { asked, ...curve } = await curveIn(world, {
        virtualTokens,
        virtualQuote,
        realTokens,
        realQuote,
        mayhem,
        fees: mayhem ? flatConfig(sdkFees(0, random.int(0, 200), random.int(0, 200))) : randomConfig(world),
        quoteMint: random.pick([NO_KEY, WRAPPED_SOL, USDC, world.key()]),
        ...(random.chance(0.3) ? { creator: NO_KEY } : {}),
        creatorRate: random.chance(0.5) ? BigInt(random.int(1, 500)) : 0n,
        creatorRates: random.chance(0.5),
      });
      const state = stateOf(world, curve)!;
      expect([state.reserveA, state.reserveB]).toEqual([realTokens, realQuote]);
      const wanted = world.below(realTokens) + 1n;
      if (wanted <= realTokens) {
        const theirs = int(sdk.getBuySolAmountFromTokenAmount({ ...asked, amount: bn(wanted) }));
        const cost = state.exactOut(false, wanted)!.amountIn;
        expect({ seed, wanted, cost }).toEqual({ seed, wanted, cost: theirs });
        counts.buys++;
      }
      const spent = world.amount(56);
      const bought = state.exactIn(false, spent);
      if (bought !== null) {
        // The SDK leaves out the units that fees rounded up apart take (step 3 in the program's own description, checked
        // below) and takes its one unit off before the fees: what it puts into the curve differs by as little.
        const theirs = int(sdk.getBuyTokenAmountFromSolAmount({ ...asked, amount: bn(spent) }));
        const net = spent - bought.fee - 1n;
        const near = [-1n, 0n, 1n, 2n].map((more) => ((net + more) * virtualTokens) / (virtualQuote + net + more));
        expect({ seed, spent, near: theirs === realTokens || near.includes(theirs) }).toEqual({
          seed,
          spent,
          near: true,
        });
        if (theirs !== bought.amountOut) counts.between++;
      }
      const sold = world.amount(56);
      const got = state.exactIn(true, sold);
      if (got !== null) {
        const theirs = int(sdk.getSellSolAmountFromTokenAmount({ ...asked, amount: bn(sold) }));
        expect({ seed, sold, got: got.amountOut }).toEqual({ seed, sold, got: theirs });
        counts.sells++;
      }
      // No instruction sells for an exact quote.
      expect(state.exactOut(true, world.below(realQuote) + 1n)).toBeNull();
    }
    expect(counts.buys).toBeGreaterThan(scaled(1_000, 60) * 0.8);
    expect(counts.sells).toBeGreaterThan(scaled(1_000, 60) * 0.2);
    expect(counts.between).toBeGreaterThan(0);
  });

  it("spend a given quote as the program's own IDL describes it, where the SDK computes another way", () => {
    const idl = JSON.parse(
      readFileSync(join(process.cwd(), 'node_modules/@pump-fun/pump-sdk/src/idl/pump.json'), 'utf8'),
    ) as { instructions: { name: string; docs?: string[] }[] };
    const docs = idl.instructions.find(({ name }) => name === 'buy_exact_sol_in')!.docs!.join('\n');
    for (const step of [
      'net_sol = floor(spendable_sol_in * 10_000 / (10_000 + total_fee_bps))',
      'fees = ceil(net_sol * protocol_fee_bps / 10_000) + ceil(net_sol * creator_fee_bps / 10_000)',
      'if net_sol + fees > spendable_sol_in: net_sol = net_sol - (net_sol + fees - spendable_sol_in)',
      'tokens_out = floor((net_sol - 1) * virtual_token_reserves / (virtual_sol_reserves + net_sol - 1))',
    ]) {
      expect(docs).toContain(step);
    }
  });

  it('know the accounts of the programs by the addresses that these derive', () => {
    const seed = (text: string) => Buffer.from(text);
    expect(deriveAddress(pumpFunCurves.program, [seed('global')])).toBe(PUMP_GLOBAL);
    expect(deriveAddress(PUMP_FEE_PROGRAM, [seed('fee_config'), decodeBase58(pumpFunCurves.program)!])).toBe(PUMP_FEES);
  });

  it('are null where a curve is complete, more than it has is asked, or its rates depend on what is not known', async () => {
    const world = new QuoteWorld(new SeededRandom(3));
    const curve = { virtualTokens: 10_000n, virtualQuote: 10_000n, realTokens: 100n, realQuote: 1_000n };
    const fees = flatConfig(sdkFees(0, 95, 30));
    const read = async (shape: Shape) => stateOf(world, await curveIn(world, shape));
    const unnamed = async (shape: Shape) => readPool(pumpFunCurves, (await curveIn(world, shape)).address, world);
    expect(await read({ ...curve, fees, complete: true })).toBeNull();
    expect(await read({ ...curve, fees, cashback: true })).toBeNull();
    const state = (await read({ ...curve, fees }))!;
    expect(state.exactOut(false, 100n)).not.toBeNull();
    expect([state.exactOut(false, 101n), state.exactIn(false, 9_000n)]).toEqual([null, null]);
    expect([state.exactIn(true, 1_000n) !== null, state.exactIn(true, 2_000n)]).toEqual([true, null]);
    const tiers = [0, 20].map((power, nth) => ({
      marketCapLamportsThreshold: new BN(String(power)),
      fees: sdkFees(0, 95 - nth, 30),
    }));
    // Without the mint its supply is not known; a mayhem curve says itself what its market cap counts.
    expect(await unnamed({ ...curve, fees })).not.toBeNull();
    expect(await unnamed({ ...curve, fees: { ...fees, feeTiers: tiers } })).toBeNull();
    expect(await unnamed({ ...curve, fees: { ...fees, feeTiers: tiers }, mayhem: true })).not.toBeNull();
    expect(await read({ ...curve, fees: { ...fees, feeTiers: tiers } })).not.toBeNull();
    expect(await read({ ...curve, fees: { ...fees, feeTiers: [] } })).toBeNull();
    // A burn lowers the market cap, and with it the tier.
    const steep = [0n, SUPPLY].map((from, nth) => ({
      marketCapLamportsThreshold: bn(from),
      fees: sdkFees(0, nth === 0 ? 500 : 100, 0),
    }));
    const feeAt = async (supply: bigint) => {
      const read = await stateOf(world, await curveIn(world, { ...curve, fees: { ...fees, feeTiers: steep }, supply }));
      return read!.exactIn(true, 1_000n)!.fee;
    };
    expect([await feeAt(SUPPLY), await feeAt(SUPPLY - 1n)]).toEqual([10n, 46n]);
  });

  it('of curves written before a field was added read it as zero; malformed accounts give null and never throw', async () => {
    const world = new QuoteWorld(new SeededRandom(4));
    const { address, mint } = await curveIn(world, {
      virtualTokens: 1n << 50n,
      virtualQuote: 1n << 40n,
      realTokens: 1n << 49n,
      realQuote: 1n << 39n,
      fees: { ...flatConfig(sdkFees(0, 100, 30)), exoticFlatFees: sdkFees(0, 200, 0) },
      quoteMint: world.key(),
      creatorRate: 300n,
      creatorRates: true,
    });
    const { data } = world.known.get(address)!;
    const feeAt = (length: number) => {
      world.put(address, pumpFunCurves.program, data.subarray(0, length));
      const { amountOut, fee } = stateOf(world, { address, mint })!.exactIn(true, 1n << 40n)!;
      return Number((fee * 10_000n) / (amountOut + fee));
    };
    expect([151, 124, 123, 115, 83, 49].map(feeAt)).toEqual([500, 500, 200, 200, 130, 100]);
    world.put(address, pumpFunCurves.program, data.subarray(0, 48));
    expect(readPool(pumpFunCurves, address, world)).toBeNull();
    world.put(address, pumpFunCurves.program, data);
    world.known.delete(mint);
    expectNoThrow(pumpFunCurves, address, world);
    expect(pumpFunCurves.identity(data)).toMatchObject({ mintA: '', vaultA: '', vaultB: '' });
    expect(pumpFunCurves.identity(data.subarray(0, 49))).toMatchObject({ mintB: WRAPPED_SOL });
  });
});
