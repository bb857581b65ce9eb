import {
  Configuration,
  instanceOfQuoteResponse,
  instanceOfSwapInstructionsResponse,
  instanceOfSwapResponse,
  SwapApi,
} from '@jup-ag/api';
import { TIDEPOOL_LAUNCHPAD, TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { isWritable, readTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { base58 } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { until } from '#libs/devkit/testing/until.js';
import { associatedId, setPaused, setRow } from '#programs/client.js';
import { SolanaWallet } from './solana-wallet.js';
import { COIN, hex, type SolanaWorld } from './solana-world.js';

const RENT = 2_039_280n;

/** Builds of Solana over a local chain: quoted, built, signed, sent; what arrives is what was quoted. */
describe('builds of Solana', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;

  beforeAll(async () => {
    wallet = await SolanaWallet.start();
    world = wallet.world;
  });
  afterAll(() => world?.close());

  it('give to the unit what was quoted: coins, tokens, several hops, curves, either side exact', async () => {
    const [usdc, strn, corm] = ['USDC', 'STRN', 'CORM'].map((symbol) => world.mint(symbol)) as [string, string, string];
    const curve = wallet.curve();
    const cases: Record<string, string>[] = [
      { inputMint: COIN, outputMint: usdc, amount: '1000000007' },
      { inputMint: usdc, outputMint: 'native', amount: '150000001' },
      { inputMint: strn, outputMint: corm, amount: '5000000123' },
      { inputMint: 'SOL', outputMint: curve, amount: '20000003' },
      { inputMint: curve, outputMint: COIN, amount: '100000001' },
      { inputMint: usdc, outputMint: curve, amount: '3000001' },
      { inputMint: curve, outputMint: strn, amount: '200000001', maxHops: '4' },
      { inputMint: COIN, outputMint: usdc, amount: '150000001', swapMode: 'ExactOut' },
      { inputMint: usdc, outputMint: COIN, amount: '700000001', swapMode: 'ExactOut' },
      { inputMint: usdc, outputMint: curve, amount: '90000001', swapMode: 'ExactOut' },
      { inputMint: curve, outputMint: corm, amount: '1000001', swapMode: 'ExactOut' },
      { inputMint: COIN, outputMint: usdc, amount: '3000000000000' },
    ];
    const labels = new Set<string>();
    let most = 0;
    for (const parameters of cases) {
      const { quote, instructions } = await wallet.swappedAsQuoted(parameters);
      expect(instructions.swapInstruction.programId).toBe(TIDEPOOL_SWAP);
      const [minReturn, maxAmountIn] =
        quote.swapMode === 'ExactIn'
          ? [quote.otherAmountThreshold, quote.inAmount]
          : [quote.outAmount, quote.otherAmountThreshold];
      expect([String(instructions.minReturn), String(instructions.maxAmountIn)]).toEqual([minReturn, maxAmountIn]);
      for (const { swapInfo } of quote.routePlan) labels.add(swapInfo.label);
      most = Math.max(most, quote.routePlan.length);
      await world.settled();
    }
    expect([...labels].sort()).toEqual(['Tidepool AMM', 'Tidepool Launchpad']);
    expect(most).toBeGreaterThanOrEqual(3);
  });

  it('are unsigned v1 transactions with limits and fee in their header, by a strict reader', async () => {
    const before = wallet.lamports();
    const quote = await wallet.quoted({ inputMint: COIN, outputMint: world.mint('SMPH'), amount: '500000000' });
    const { body } = await wallet.build('/swap', quote, { prioritizationFeeLamports: 7_777 });
    const wire = readTransaction(Buffer.from(body.swapTransaction, 'base64'));
    expect(wire.version).toBe(1);
    expect(wire.wire.length).toBeLessThanOrEqual(4_096);
    expect(wire.keys.length).toBeLessThanOrEqual(64);
    expect(wire.keys[0]).toBe(wallet.address);
    expect(isWritable(wire, 0)).toBe(true);
    expect([...wire.signatures[0]!].every((byte) => byte === 0)).toBe(true);
    expect(wire.config).toMatchObject({ priorityFee: 7_777n, computeUnitLimit: body.computeUnitLimit });
    expect(wire.config!.loadedAccountsDataSizeLimit).toBeGreaterThan(0);
    expect(body.prioritizationFeeLamports).toBe(7_777);
    expect(wire.keys).not.toContain('ComputeBudget111111111111111111111111111111');
    const { body: told } = await wallet.build('/swap-instructions', quote, { prioritizationFeeLamports: 7_777 });
    expect(told).toMatchObject({
      ...{ computeBudgetInstructions: [], addressLookupTableAddresses: [], cleanupInstruction: null },
      transactionConfig: { priorityFeeLamports: 7_777, computeUnitLimit: body.computeUnitLimit },
    });
    expect(told.setupInstructions.length).toBeGreaterThan(0);
    const { networkFeeLamports, priorityFeeLamports, rentLamports, totalLamports } = told.costs;
    expect([networkFeeLamports, priorityFeeLamports]).toEqual(['5000', '7777']);
    expect(BigInt(rentLamports)).toBe(RENT * BigInt(told.setupInstructions.length));
    expect(BigInt(totalLamports)).toBe(5_000n + 7_777n + BigInt(rentLamports));
    expect(JSON.stringify([body, told])).not.toContain('routeTicket');
    const dust = await wallet.quoted({ inputMint: COIN, outputMint: world.mint('MUDL'), amount: '4000000000000' });
    const { text } = await wallet.build('/swap-instructions', dust);
    expect(BigInt(dust.otherAmountThreshold)).toBeGreaterThan(2n ** 53n);
    expect(text).toContain(`"minReturn":${dust.otherAmountThreshold},"maxAmountIn":4000000000000,`);
    const price = await wallet.build('/swap', quote, { computeUnitPriceMicroLamports: 1_000_000 });
    expect(price.body.prioritizationFeeLamports).toBe(price.body.computeUnitLimit);
    // Nothing was sent.
    world.market.slot({ traders: false });
    expect(wallet.lamports()).toBe(before);
  });

  it('pay a platform fee to the account that is named, and refuse one that is none', async () => {
    const usdc = world.mint('USDC');
    const taker = new SeededKey('who takes the fee');
    world.market.fund(taker.address, { tokens: [{ mint: usdc, amount: 1n }] });
    await world.settled();
    const feeAccount = base58(associatedId(taker.id, hex(usdc)));
    const parameters = { inputMint: COIN, outputMint: usdc, amount: '2000000000', platformFeeBps: '100' };
    const before = wallet.held(usdc, taker.id);
    const { quote, got } = await wallet.swapped(parameters, { feeAccount });
    expect(got).toBe(BigInt(quote.outAmount));
    expect(wallet.held(usdc, taker.id) - before).toBe(BigInt(quote.platformFee.amount));
    await world.settled();
    const again = await wallet.quoted(parameters);
    expect((await wallet.build('/swap', again)).body).toMatchObject({ error: 'bad_request', quoteId: again.quoteId });
    const wrong = await wallet.build('/swap', again, { feeAccount: taker.address });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'bad_request']);
    const out = {
      inputMint: usdc,
      outputMint: COIN,
      amount: '1000000000',
      swapMode: 'ExactOut',
      platformFeeBps: '100',
    };
    const exact = await wallet.swapped(out, { feeAccount });
    expect([exact.paid, exact.coins]).toEqual([BigInt(exact.quote.inAmount), 1_000_000_000n]);
    await world.settled();
    // Out of the account of wrapped coins that the route opens and closes.
    world.market.fund(taker.address, { tokens: [{ mint: COIN, amount: 1n }] });
    await world.settled();
    const wrapped = base58(associatedId(taker.id, hex(COIN)));
    const sale = { inputMint: usdc, outputMint: COIN, amount: '150000000', platformFeeBps: '500' };
    const sold = await wallet.swapped(sale, { feeAccount: wrapped });
    expect(sold.coins).toBe(BigInt(sold.quote.outAmount));
    expect(wallet.held(COIN, taker.id)).toBe(1n + BigInt(sold.quote.platformFee.amount));
    await world.settled();
  });

  it('keep wrapped coins where that is asked for, and pay another account', async () => {
    const usdc = world.mint('USDC');
    const quote = await wallet.quoted({ inputMint: usdc, outputMint: COIN, amount: '150000000' });
    const kept = (await wallet.build('/swap', quote, { wrapAndUnwrapSol: false })).body;
    const before = wallet.held(COIN);
    expect(wallet.send(kept.swapTransaction)).toBeNull();
    expect(wallet.held(COIN) - before).toBe(BigInt(quote.outAmount));
    await world.settled();
    const friend = new SeededKey('a friend');
    world.market.fund(friend.address, { tokens: [{ mint: usdc, amount: 1n }] });
    await world.settled();
    const gift = await wallet.quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000' });
    const destinationTokenAccount = base58(associatedId(friend.id, hex(usdc)));
    const built = await wallet.build('/swap', gift, { destinationTokenAccount });
    expect(wallet.send(built.body.swapTransaction)).toBeNull();
    expect(wallet.held(usdc, friend.id)).toBe(1n + BigInt(gift.outAmount));
    const nowhere = await wallet.build('/swap', gift, { destinationTokenAccount: friend.address });
    expect([nowhere.status, nowhere.body.error]).toEqual([400, 'bad_request']);
    await world.settled();
  });

  it('take a quote back unchanged, whole or as a client of Jupiter keeps it, and no other', async () => {
    const usdc = world.mint('USDC');
    const quote = await wallet.quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000' });
    const reordered = Object.fromEntries(Object.entries({ ...quote, unknown: 1 }).reverse());
    expect((await wallet.build('/swap', reordered)).status).toBe(200);
    for (const change of [{ outAmount: '1' }, { slippageBps: 51 }, { routePlan: [] }, { contextSlot: undefined }]) {
      const { status, body } = await wallet.build('/swap', { ...quote, ...change });
      expect([change, status, body.error, body.quoteId]).toEqual([change, 400, 'quote_mismatch', quote.quoteId]);
    }
    const { quoteId, expiresAt, programId, candidates, impactBps, inUsd, outUsd, warnings, ...jupiter } = quote;
    const steps = jupiter.routePlan.map(({ bps, ...step }: { bps: number }) => step);
    const bare = await wallet.build('/swap', { ...jupiter, routePlan: steps });
    expect(bare.status).toBe(200);
    world.fits('SolSwapAnswer', bare.body);
    expect(bare.body.quoteResponse).toMatchObject({
      outAmount: quote.outAmount,
      otherAmountThreshold: quote.otherAmountThreshold,
    });
    expect(bare.body.quoteResponse.quoteId).not.toBe(quoteId);
    expect((await wallet.build('/swap', bare.body.quoteResponse)).status).toBe(200);
    const beyond = { ...jupiter, otherAmountThreshold: String(BigInt(quote.outAmount) + 1n) };
    expect((await wallet.build('/swap', beyond)).body.error).toBe('quote_moved');
    for (const change of [{ inputMint: 'x' }, { routePlan: [{}] }, { outAmount: 1 }, { swapMode: 'Both' }]) {
      const { status, body } = await wallet.build('/swap', { ...jupiter, ...change });
      expect([change, status, body.error]).toEqual([change, 400, 'bad_request']);
    }
    world.clock.ms += 30_001;
    const late = await wallet.build('/swap', quote);
    expect([late.status, late.body.error, late.body.quoteId]).toEqual([409, 'quote_expired', quoteId]);
    const unknown = await wallet.build('/swap', { ...quote, quoteId: '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11' });
    expect([unknown.status, unknown.body.error]).toEqual([409, 'quote_expired']);
  });

  it('serve the published client of Jupiter unchanged: quotes, instructions, transactions, labels', async () => {
    // Its factory of clients names Jupiter's own hosts.
    const jupiter = new SwapApi(new Configuration({ basePath: world.router.url }));
    const [usdc, strn] = [world.mint('USDC'), world.mint('STRN')];
    const questions = [
      { inputMint: COIN, outputMint: usdc, amount: 1_000_000_007, slippageBps: 100 },
      { inputMint: strn, outputMint: COIN, amount: 5_000_011, restrictIntermediateTokens: true, dynamicSlippage: true },
      { inputMint: usdc, outputMint: strn, amount: 90_001, swapMode: 'ExactOut' as const },
      { inputMint: COIN, outputMint: usdc, amount: 3_000_001, dexes: ['Tidepool AMM'], onlyDirectRoutes: true },
    ];
    for (const question of questions) {
      const quoteResponse = await jupiter.quoteGet(question);
      expect(instanceOfQuoteResponse(quoteResponse)).toBe(true);
      // The client keeps what it knows alone: the id is not among it.
      expect(quoteResponse).not.toHaveProperty('quoteId');
      expect([typeof quoteResponse.inAmount, typeof quoteResponse.priceImpactPct]).toEqual(['string', 'string']);
      const exact = question.swapMode === 'ExactOut' ? quoteResponse.outAmount : quoteResponse.inAmount;
      expect(exact).toBe(String(question.amount));
      const swapRequest = { userPublicKey: wallet.address, quoteResponse, dynamicComputeUnitLimit: true };
      const told = await jupiter.swapInstructionsPost({ swapRequest });
      expect(instanceOfSwapInstructionsResponse(told)).toBe(true);
      expect([told.computeBudgetInstructions, told.otherInstructions, told.addressLookupTableAddresses]).toEqual([
        [],
        [],
        [],
      ]);
      expect(told.swapInstruction.programId).toBe(TIDEPOOL_SWAP);
      const swap = await jupiter.swapPost({ swapRequest });
      expect(instanceOfSwapResponse(swap)).toBe(true);
      expect(swap.lastValidBlockHeight).toBeGreaterThan(0);
      const { outputMint } = question;
      const before = outputMint === COIN ? wallet.lamports() : wallet.held(outputMint);
      expect(wallet.send(swap.swapTransaction)).toBeNull();
      const got = (outputMint === COIN ? wallet.lamports() : wallet.held(outputMint)) - before;
      // Coins pay the transaction as well.
      if (outputMint !== COIN) expect(String(got)).toBe(quoteResponse.outAmount);
      else expect(got).toBeGreaterThan(BigInt(quoteResponse.otherAmountThreshold) - 3n * RENT);
      await world.settled();
    }
    expect((await jupiter.programIdToLabelGet())[TIDEPOOL_LAUNCHPAD]).toBe('Tidepool Launchpad');
    const refused = await jupiter.quoteGet({ ...questions[0]!, amount: 0 }).catch((error) => error.response.status);
    expect(refused).toBe(400);
  });

  it('say what the wallet lacks, and that pools moved', async () => {
    const usdc = world.mint('USDC');
    const poor = new SeededKey('nothing in it').address;
    const quote = await wallet.quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000', slippageBps: '0' });
    const lacking = await wallet.build('/swap', quote, { userPublicKey: poor });
    expect([lacking.status, lacking.body.error, lacking.body.quoteId]).toEqual([
      422,
      'insufficient_funds',
      quote.quoteId,
    ]);
    const tokens = await wallet.quoted({ inputMint: world.mint('SMPH'), outputMint: usdc, amount: '1000000' });
    expect((await wallet.build('/swap', tokens)).body.error).toBe('insufficient_funds');
    const other = await wallet.quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000000' });
    const moving = (await wallet.build('/swap', other)).body;
    expect((await wallet.build('/swap', quote)).status).toBe(200);
    expect(wallet.send(moving.swapTransaction)).toBeNull();
    const moved = await wallet.build('/swap', quote);
    expect([moved.status, moved.body.error]).toEqual([409, 'quote_moved']);
    await world.settled();
  });

  it('stop while the program is paused or a row is off, and continue afterwards; quotes and /transaction do not stop', async () => {
    const program = hex(TIDEPOOL_SWAP);
    const curve = wallet.curve();
    const quote = await wallet.quoted({ inputMint: COIN, outputMint: curve, amount: '1000000' });
    const outcome = async (path: '/swap' | '/swap-instructions') => {
      const { status, body } = await wallet.build(path, quote);
      return [status, body.error, body.reasons, body.quoteId];
    };
    await world.administer(setPaused(program, world.deployer.id, true));
    // The build itself reads the config: no wait for the watch is needed.
    const stopped = [503, 'not_ready', ['sol: the swap program is paused'], quote.quoteId];
    for (const path of ['/swap', '/swap-instructions'] as const) expect(await outcome(path)).toEqual(stopped);
    await until('/ready tells of it', async () => (await world.get('/ready')).status === 503);
    for (const path of ['/swap', '/swap-instructions'] as const) expect(await outcome(path)).toEqual(stopped);
    expect((await world.quote({ inputMint: COIN, outputMint: curve, amount: '1000000' })).status).toBe(200);
    const instructions = [{ programId: TIDEPOOL_SWAP, accounts: [], data: '' }];
    expect((await world.post('/transaction', { payer: wallet.address, instructions })).status).toBe(200);
    await world.administer(setPaused(program, world.deployer.id, false));
    await until('builds continue', async () => (await wallet.build('/swap', quote)).status === 200);
    const row = (live: boolean) =>
      setRow(program, world.deployer.id, { program: hex(TIDEPOOL_LAUNCHPAD), kind: 'curve', live });
    await world.administer(row(false));
    const off = await wallet.build('/swap', quote);
    expect([409, 503]).toContain(off.status);
    await world.administer(row(true));
    await until('builds continue', async () => (await wallet.build('/swap', quote)).status === 200);
    expect(world.problems).toEqual([]);
  });
});
