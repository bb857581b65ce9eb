import { parse } from 'yaml';
import { TIDEPOOL_LAUNCHPAD, TIDEPOOL_SWAP } from '#libs/chains/solana/tidepool-programs.js';
import { base58 } from '#libs/devnet/solana/market/market-listing.js';
import { SeededKey } from '#libs/devnet/solana/market/seeded-key.js';
import { isWritable, readTransaction } from '#libs/devnet/solana/wire-transaction.js';
import { schemaProblems } from '#libs/testing/schema-check.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/testing/seeded-random.js';
import { until } from '#libs/testing/until.js';
import { associatedId, setPaused, setRow } from '#programs/client.js';
import { routerErrorCodes } from '../src/http/router-problem.js';
import { hex, SolanaWorld } from './solana-world.js';

const COIN = 'So11111111111111111111111111111111111111112';
const SIGNATURE_BYTES = 64;
const RENT = 2_039_280n;
const LAMPORTS = 1_000_000_000n;

/** Builds of Solana over a local chain: quoted, built, signed, sent; what arrives is what was quoted. */
describe('builds of Solana', () => {
  const wallet = new SeededKey('a wallet of the router');
  let world: SolanaWorld;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed document
  let document: any;

  beforeAll(async () => {
    world = await SolanaWorld.start();
    document = parse((await world.get('/openapi.yaml')).text);
    const tokens = ['USDC', 'STRN', 'CORM'].map((symbol) => ({ mint: world.mint(symbol), amount: 50_000_000_000n }));
    world.market.fund(wallet.address, { lamports: 10_000n * LAMPORTS, tokens });
    await world.settled();
  });
  afterAll(() => world?.close());

  const fits = (schema: string, body: unknown) =>
    expect(schemaProblems(document, document.components.schemas[schema], body)).toEqual([]);

  const lamports = (address = wallet.address): bigint => world.market.chain.account(address)?.lamports ?? 0n;
  /** Lamports for the coin, else what the wallet's account of the mint holds. */
  const held = (mint: string, owner = wallet.id): bigint => {
    const account = world.market.chain.account(base58(associatedId(owner, hex(mint))));
    return account === null ? 0n : Buffer.from(account.data).readBigUInt64LE(64);
  };
  const trading = (quoteMint: string) =>
    world.market.contents().curves.find((curve) => curve.status === 'trading' && curve.quoteMint === quoteMint)!;

  /** Signs the bytes of an answer, sends them, makes a block; the outcome. */
  function send(text: string, signer = wallet): unknown {
    const bytes = Buffer.from(text, 'base64');
    const message = bytes.subarray(0, -SIGNATURE_BYTES);
    const { chain } = world.market;
    const signature = chain.send(Buffer.concat([message, signer.sign(message)]));
    chain.slot();
    return chain.resultOf(signature);
  }

  const quoted = async (parameters: Record<string, string>) => {
    const { status, body } = await world.quote(parameters);
    expect([parameters, status]).toEqual([parameters, 200]);
    return body;
  };
  const build = (path: '/swap' | '/swap-instructions', quoteResponse: object, more: object = {}) =>
    world.post(path, { quoteResponse, userPublicKey: wallet.address, ...more });

  /** Quote, build, sign, send: what left and what reached the wallet, with the quote and the costs. */
  async function swapped(parameters: Record<string, string>, more: object = {}) {
    const quote = await quoted(parameters);
    const instructions = await build('/swap-instructions', quote, more);
    const swap = await build('/swap', quote, more);
    expect([instructions.status, instructions.body?.reason, swap.status]).toEqual([200, undefined, 200]);
    fits('SolSwapInstructionsAnswer', instructions.body);
    fits('SolSwapAnswer', swap.body);
    const before = { lamports: lamports(), in: held(quote.inputMint), out: held(quote.outputMint) };
    expect(send(swap.body.swapTransaction)).toBeNull();
    const { totalLamports } = instructions.body.costs;
    return {
      ...{ quote, swap: swap.body, instructions: instructions.body },
      paid: before.in - held(quote.inputMint),
      got: held(quote.outputMint) - before.out,
      /** The costs left out. */
      coins: lamports() - before.lamports + BigInt(totalLamports),
    };
  }

  it('give to the unit what was quoted: coins, tokens, several hops, curves, either side exact', async () => {
    const [usdc, strn, corm] = ['USDC', 'STRN', 'CORM'].map((symbol) => world.mint(symbol)) as [string, string, string];
    const curve = trading(COIN).mint;
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
      const { quote, paid, got, coins, swap, instructions } = await swapped(parameters);
      const expected = {
        paid: quote.inputMint === COIN ? 0n : BigInt(quote.inAmount),
        got: quote.outputMint === COIN ? 0n : BigInt(quote.outAmount),
        coins:
          (quote.outputMint === COIN ? BigInt(quote.outAmount) : 0n) -
          (quote.inputMint === COIN ? BigInt(quote.inAmount) : 0n),
      };
      expect({ parameters, paid, got, coins }).toEqual({ parameters, ...expected });
      expect(swap.simulation).toMatchObject({ inAmount: quote.inAmount, outAmount: quote.outAmount });
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
    const before = lamports();
    const quote = await quoted({ inputMint: COIN, outputMint: world.mint('SMPH'), amount: '500000000' });
    const { body } = await build('/swap', quote, { prioritizationFeeLamports: 7_777 });
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
    const { body: told } = await build('/swap-instructions', quote, { prioritizationFeeLamports: 7_777 });
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
    const price = await build('/swap', quote, { computeUnitPriceMicroLamports: 1_000_000 });
    expect(price.body.prioritizationFeeLamports).toBe(price.body.computeUnitLimit);
    // Nothing was sent.
    world.market.slot({ traders: false });
    expect(lamports()).toBe(before);
  });

  it('serialize what /swap-instructions tells into the transaction of /swap', async () => {
    const quote = await quoted({ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' });
    const fee = { prioritizationFeeLamports: 1 };
    const swap = (await build('/swap', quote, fee)).body;
    const told = (await build('/swap-instructions', quote, fee)).body;
    const instructions = [...told.setupInstructions, told.swapInstruction];
    const { transactionConfig, blockhash } = told;
    const body = { payer: wallet.address, instructions, transactionConfig, blockhash };
    const { body: serialized } = await world.post('/transaction', body);
    fits('SolTransaction', serialized);
    expect([serialized.transaction, serialized.version]).toEqual([swap.swapTransaction, 1]);
    expect(serialized).toMatchObject({ blockhash, lastValidBlockHeight: null, encoding: 'base64' });
    expect(serialized.size).toBe(Buffer.from(swap.swapTransaction, 'base64').length);
    expect(send(serialized.transaction)).toBeNull();
    const newest = await world.post('/transactions', {
      transactions: [
        { ...body, blockhash: undefined },
        { ...body, encoding: 'base58' },
      ],
    });
    fits('SolTransactionsAnswer', newest.body);
    expect(newest.body.transactions[0].lastValidBlockHeight).toBeGreaterThan(0);
    expect(newest.body.transactions[1].accountKeys).toEqual(serialized.accountKeys);
    await world.settled();
  });

  it('refuse instructions that no v1 transaction holds, naming the limit', async () => {
    const instruction = { programId: TIDEPOOL_SWAP, accounts: [], data: '' };
    const payer = wallet.address;
    const refusal = async (body: object) => {
      const answer = await world.post('/transaction', body);
      expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
      return answer.body.reason as string;
    };
    const key = (n: number) => base58(n.toString(16).padStart(64, '0'));
    const accounts = Array.from({ length: 63 }, (_, n) => ({ pubkey: key(n + 9), isSigner: false, isWritable: true }));
    expect(await refusal({ payer, instructions: [{ ...instruction, accounts }] })).toContain(
      '64 account keys; this one has 65',
    );
    const data = Buffer.alloc(4_096).toString('base64');
    expect(await refusal({ payer, instructions: [{ ...instruction, data }] })).toMatch(/4096 bytes; this one has 4\d+/);
    const budget = 'ComputeBudget111111111111111111111111111111';
    expect(await refusal({ payer, instructions: [{ ...instruction, programId: budget }] })).toContain(
      'transactionConfig',
    );
    const tables = { addressLookupTableAddresses: [TIDEPOOL_SWAP] };
    expect(await refusal({ payer, instructions: [instruction], ...tables })).toContain('look-up tables');
    const looked = [{ pubkey: key(9), isSigner: false, isWritable: true, lookupTableAddress: key(10) }];
    expect(await refusal({ payer, instructions: [{ ...instruction, accounts: looked }] })).toContain('look-up tables');
    for (const body of [{}, { payer }, { payer, instructions: [] }, { payer: 'x', instructions: [instruction] }])
      await refusal(body);
    expect(await refusal({ payer, instructions: [{ ...instruction, data: '*' }] })).toContain('data must be base64');
    const config = { computeUnitLimit: 1_400_001 };
    expect(await refusal({ payer, instructions: [instruction], transactionConfig: config })).toContain('1400000');
    const list = await world.post('/transactions', {
      transactions: [{ payer, instructions: [instruction] }, { payer }],
    });
    expect([list.status, list.body.reason]).toEqual([400, expect.stringContaining('transactions[1].instructions')]);
    expect((await world.post('/transactions', { transactions: [] })).status).toBe(400);
  });

  it('pay a platform fee to the account that is named, and refuse one that is none', async () => {
    const usdc = world.mint('USDC');
    const taker = new SeededKey('who takes the fee');
    world.market.fund(taker.address, { tokens: [{ mint: usdc, amount: 1n }] });
    await world.settled();
    const feeAccount = base58(associatedId(taker.id, hex(usdc)));
    const parameters = { inputMint: COIN, outputMint: usdc, amount: '2000000000', platformFeeBps: '100' };
    const before = held(usdc, taker.id);
    const { quote, got } = await swapped(parameters, { feeAccount });
    expect(got).toBe(BigInt(quote.outAmount));
    expect(held(usdc, taker.id) - before).toBe(BigInt(quote.platformFee.amount));
    await world.settled();
    const again = await quoted(parameters);
    expect((await build('/swap', again)).body).toMatchObject({ error: 'bad_request', quoteId: again.quoteId });
    const wrong = await build('/swap', again, { feeAccount: taker.address });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'bad_request']);
    const out = {
      inputMint: usdc,
      outputMint: COIN,
      amount: '1000000000',
      swapMode: 'ExactOut',
      platformFeeBps: '100',
    };
    const exact = await swapped(out, { feeAccount });
    expect([exact.paid, exact.coins]).toEqual([BigInt(exact.quote.inAmount), 1_000_000_000n]);
    await world.settled();
  });

  it('keep wrapped coins where that is asked for, and pay another account', async () => {
    const usdc = world.mint('USDC');
    const quote = await quoted({ inputMint: usdc, outputMint: COIN, amount: '150000000' });
    const kept = (await build('/swap', quote, { wrapAndUnwrapSol: false })).body;
    const before = held(COIN);
    expect(send(kept.swapTransaction)).toBeNull();
    expect(held(COIN) - before).toBe(BigInt(quote.outAmount));
    await world.settled();
    const friend = new SeededKey('a friend');
    world.market.fund(friend.address, { tokens: [{ mint: usdc, amount: 1n }] });
    await world.settled();
    const gift = await quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000' });
    const destinationTokenAccount = base58(associatedId(friend.id, hex(usdc)));
    const built = await build('/swap', gift, { destinationTokenAccount });
    expect(send(built.body.swapTransaction)).toBeNull();
    expect(held(usdc, friend.id)).toBe(1n + BigInt(gift.outAmount));
    const nowhere = await build('/swap', gift, { destinationTokenAccount: friend.address });
    expect([nowhere.status, nowhere.body.error]).toEqual([400, 'bad_request']);
    await world.settled();
  });

  it('take a quote back unchanged, whole or as a client of Jupiter keeps it, and no other', async () => {
    const usdc = world.mint('USDC');
    const quote = await quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000' });
    const reordered = Object.fromEntries(Object.entries({ ...quote, unknown: 1 }).reverse());
    expect((await build('/swap', reordered)).status).toBe(200);
    for (const change of [{ outAmount: '1' }, { slippageBps: 51 }, { routePlan: [] }, { contextSlot: undefined }]) {
      const { status, body } = await build('/swap', { ...quote, ...change });
      expect([change, status, body.error, body.quoteId]).toEqual([change, 400, 'quote_mismatch', quote.quoteId]);
    }
    const { quoteId, expiresAt, programId, candidates, impactBps, inUsd, outUsd, warnings, ...jupiter } = quote;
    const steps = jupiter.routePlan.map(({ bps, ...step }: { bps: number }) => step);
    const bare = await build('/swap', { ...jupiter, routePlan: steps });
    expect(bare.status).toBe(200);
    fits('SolSwapAnswer', bare.body);
    expect(bare.body.quoteResponse).toMatchObject({
      outAmount: quote.outAmount,
      otherAmountThreshold: quote.otherAmountThreshold,
    });
    expect(bare.body.quoteResponse.quoteId).not.toBe(quoteId);
    expect((await build('/swap', bare.body.quoteResponse)).status).toBe(200);
    const beyond = { ...jupiter, otherAmountThreshold: String(BigInt(quote.outAmount) + 1n) };
    expect((await build('/swap', beyond)).body.error).toBe('quote_moved');
    for (const change of [{ inputMint: 'x' }, { routePlan: [{}] }, { outAmount: 1 }, { swapMode: 'Both' }]) {
      const { status, body } = await build('/swap', { ...jupiter, ...change });
      expect([change, status, body.error]).toEqual([change, 400, 'bad_request']);
    }
    world.clock.ms += 30_001;
    const late = await build('/swap', quote);
    expect([late.status, late.body.error, late.body.quoteId]).toEqual([409, 'quote_expired', quoteId]);
    const unknown = await build('/swap', { ...quote, quoteId: '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11' });
    expect([unknown.status, unknown.body.error]).toEqual([409, 'quote_expired']);
  });

  it('say what the wallet lacks, and that pools moved', async () => {
    const usdc = world.mint('USDC');
    const poor = new SeededKey('nothing in it').address;
    const quote = await quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000', slippageBps: '0' });
    const lacking = await build('/swap', quote, { userPublicKey: poor });
    expect([lacking.status, lacking.body.error, lacking.body.quoteId]).toEqual([
      422,
      'insufficient_funds',
      quote.quoteId,
    ]);
    const tokens = await quoted({ inputMint: world.mint('SMPH'), outputMint: usdc, amount: '1000000' });
    expect((await build('/swap', tokens)).body.error).toBe('insufficient_funds');
    const other = await quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000000000' });
    const moving = (await build('/swap', other)).body;
    expect((await build('/swap', quote)).status).toBe(200);
    expect(send(moving.swapTransaction)).toBeNull();
    const moved = await build('/swap', quote);
    expect([moved.status, moved.body.error]).toEqual([409, 'quote_moved']);
    await world.settled();
  });

  it('refuse other versions of transactions and requests that break a rule', async () => {
    const quote = await quoted({ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' });
    for (const more of [
      { txVersion: 0 },
      { txVersion: 'legacy' },
      { asLegacyTransaction: true },
      { payer: wallet.address },
    ]) {
      for (const path of ['/swap', '/swap-instructions'] as const) {
        const { status, body } = await build(path, quote, more);
        expect([more, status, body.error]).toEqual([more, 400, 'unsupported']);
      }
    }
    const wrong: object[] = [
      ...[{ userPublicKey: 'x' }, { userPublicKey: undefined }, { quoteResponse: 1 }, { wrapAndUnwrapSol: 'x' }],
      ...[{ feeAccount: 1 }, { prioritizationFeeLamports: -1 }, { prioritizationFeeLamports: 1.5 }],
      { prioritizationFeeLamports: 1, computeUnitPriceMicroLamports: 1 },
    ];
    for (const more of wrong) {
      const { status, body } = await build('/swap', quote, more);
      expect([more, status, body.error]).toEqual([more, 400, 'bad_request']);
    }
    expect((await build('/swap', quote, { txVersion: 1, asLegacyTransaction: false })).status).toBe(200);
  });

  const [seed] = propertySeeds(1, 77) as [number];
  it(`answer whatever is sent, never with a 500 (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const parameters = { inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' };
    const quoteResponse = await quoted({ ...parameters, platformFeeBps: '10' });
    const { quoteId, ...bare } = quoteResponse;
    const userPublicKey = wallet.address;
    const instruction = {
      programId: TIDEPOOL_SWAP,
      accounts: [{ pubkey: COIN, isSigner: false, isWritable: true }],
      data: 'AQ==',
    };
    const transaction = {
      payer: wallet.address,
      instructions: [instruction],
      blockhash: TIDEPOOL_SWAP,
      transactionConfig: {},
    };
    const good: [string, object][] = [
      ['/quote', { ...parameters, swapMode: 'ExactOut', dexes: ['tidepool'], maxHops: 2, platformFeeBps: 1 }],
      ['/swap', { quoteResponse, userPublicKey, feeAccount: COIN, prioritizationFeeLamports: 1 }],
      ['/swap', { quoteResponse: bare, userPublicKey, feeAccount: COIN }],
      ['/swap-instructions', { quoteResponse: { ...bare, platformFee: null }, userPublicKey }],
      ['/transaction', transaction],
      ['/transactions', { transactions: [transaction, transaction] }],
    ];
    const seen = new Map<number, number>();
    for (let n = 0; n < scaled(2_000, 200); n++) {
      const [path, whole] = random.pick(good);
      const body = JSON.parse(JSON.stringify(whole));
      for (let changes = random.int(0, 3); changes > 0; changes--) change(random, body);
      const answer = await world.post(path, body);
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      const told = { seed, n, path, body, answer: answer.text };
      expect({ ...told, known: [200, 400, 404, 409, 422].includes(answer.status) }).toEqual({ ...told, known: true });
      if (answer.status !== 200) expect(routerErrorCodes).toContain(answer.body.error);
    }
    expect(seen.get(200)).toBeGreaterThan(5);
    expect(seen.get(400)).toBeGreaterThan(50);
  });

  it('stop while the program is paused or a row is off, and continue afterwards; quotes and /transaction do not stop', async () => {
    const program = hex(TIDEPOOL_SWAP);
    const curve = trading(COIN).mint;
    const quote = await quoted({ inputMint: COIN, outputMint: curve, amount: '1000000' });
    const outcome = async (path: '/swap' | '/swap-instructions') => {
      const { status, body } = await build(path, quote);
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
    await until('builds continue', async () => (await build('/swap', quote)).status === 200);
    const row = (live: boolean) =>
      setRow(program, world.deployer.id, { program: hex(TIDEPOOL_LAUNCHPAD), kind: 'curve', live });
    await world.administer(row(false));
    const off = await build('/swap', quote);
    expect([409, 503]).toContain(off.status);
    await world.administer(row(true));
    await until('builds continue', async () => (await build('/swap', quote)).status === 200);
    expect(world.problems).toEqual([]);
  });
});

const HOSTILE: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e21, '', 'x', '0', '-1', '1e3', '18446744073709551615', '18446744073709551616'],
  ...['9'.repeat(90), COIN, TIDEPOOL_SWAP, 'ExactIn', 'ExactOut', '\u0000', {}, [], [[]], [{}], { a: { b: 1 } }],
];

/** Somewhere inside of a body another value, or none. */
function change(random: SeededRandom, body: object): void {
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Record<string, unknown>;
    for (const name of Object.keys(holder)) {
      places.push({ holder, name });
      collect(holder[name]);
    }
  };
  collect(body);
  if (places.length === 0) return;
  const { holder, name } = random.pick(places);
  if (random.chance(0.2)) delete holder[name];
  else holder[name] = random.pick(HOSTILE);
}
