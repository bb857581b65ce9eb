import { TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { base58 } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { routerErrorCodes } from '../src/http/router-problem.js';
import { SolanaWallet } from './solana-wallet.js';
import { COIN, type SolanaWorld } from './solana-world.js';

/** Bodies of the Solana routes: instructions of the caller, rules, and whatever else is sent. */
describe('requests to the Solana routes', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;

  beforeAll(async () => {
    wallet = await SolanaWallet.start();
    world = wallet.world;
  });
  afterAll(() => world?.close());

  it('serialize what /swap-instructions tells into the transaction of /swap', async () => {
    const quote = await wallet.quoted({ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' });
    const fee = { prioritizationFeeLamports: 1 };
    const swap = (await wallet.build('/swap', quote, fee)).body;
    const told = (await wallet.build('/swap-instructions', quote, fee)).body;
    const instructions = [...told.setupInstructions, told.swapInstruction];
    const { transactionConfig, blockhash } = told;
    const body = { payer: wallet.address, instructions, transactionConfig, blockhash };
    const { body: serialized } = await world.post('/transaction', body);
    world.fits('SolTransaction', serialized);
    expect([serialized.transaction, serialized.version]).toEqual([swap.swapTransaction, 1]);
    expect(serialized).toMatchObject({ blockhash, lastValidBlockHeight: null, encoding: 'base64' });
    expect(serialized.size).toBe(Buffer.from(swap.swapTransaction, 'base64').length);
    expect(wallet.send(serialized.transaction)).toBeNull();
    const newest = await world.post('/transactions', {
      transactions: [
        { ...body, blockhash: undefined },
        { ...body, encoding: 'base58' },
      ],
    });
    world.fits('SolTransactionsAnswer', newest.body);
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

  it('refuse other versions of transactions and requests that break a rule', async () => {
    const quote = await wallet.quoted({ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' });
    for (const more of [
      { txVersion: 0 },
      { txVersion: 'legacy' },
      { asLegacyTransaction: true },
      { payer: wallet.address },
    ]) {
      for (const path of ['/swap', '/swap-instructions'] as const) {
        const { status, body } = await wallet.build(path, quote, more);
        expect([more, status, body.error]).toEqual([more, 400, 'unsupported']);
      }
    }
    const wrong: object[] = [
      ...[{ userPublicKey: 'x' }, { userPublicKey: undefined }, { quoteResponse: 1 }, { wrapAndUnwrapSol: 'x' }],
      ...[{ feeAccount: 1 }, { prioritizationFeeLamports: -1 }, { prioritizationFeeLamports: 1.5 }],
      { prioritizationFeeLamports: 1, computeUnitPriceMicroLamports: 1 },
    ];
    for (const more of wrong) {
      const { status, body } = await wallet.build('/swap', quote, more);
      expect([more, status, body.error]).toEqual([more, 400, 'bad_request']);
    }
    expect((await wallet.build('/swap', quote, { txVersion: 1, asLegacyTransaction: false })).status).toBe(200);
  });

  const [seed] = propertySeeds(1, 77) as [number];
  it(`answer whatever is sent, never with a 500 (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const parameters = { inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000' };
    const quoteResponse = await wallet.quoted({ ...parameters, platformFeeBps: '10' });
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
  else holder[name] = structuredClone(random.pick(HOSTILE));
}
