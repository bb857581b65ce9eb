import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { until } from '#libs/devkit/testing/until.js';
import { type LocalSolana, startLocalSolana } from './local-solana.js';
import { closeClient } from './test/close-client.js';
import { rpcCall } from './test/rpc-call.js';
import { createAssociated, createMint, createTokenAccount, mintTo, transferTokens } from './test/token-calls.js';
import { TOKEN_PROGRAM_TEXT } from './token-accounts.js';

/** The ordinary web3.js client, unchanged, against the local chain. */
let chain: LocalSolana;
let connection: Connection;
const payer = Keypair.generate();

beforeAll(async () => {
  chain = await startLocalSolana({ confirmedDepth: 0 });
  connection = new Connection(chain.rpcUrl, 'confirmed');
  chain.airdrop(payer.publicKey.toBase58(), BigInt(100 * LAMPORTS_PER_SOL));
  chain.slot();
});

afterAll(async () => {
  closeClient(connection);
  await chain.stop();
});

/** Signs and sends; the transaction waits for the next slot. */
async function send(instructions: TransactionInstruction[], signers = [payer]): Promise<string> {
  const transaction = new Transaction({ feePayer: payer.publicKey, ...(await connection.getLatestBlockhash()) });
  transaction.add(...instructions).sign(...signers);
  return connection.sendRawTransaction(transaction.serialize());
}

async function raw(
  method: string,
  ...params: unknown[]
): Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await answer.json()) as Awaited<ReturnType<typeof raw>>;
}

test('a transfer waits for its slot, then shows its balances, its fee and its block', async () => {
  const to = Keypair.generate().publicKey;
  const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 5_000_000 });
  const before = await connection.getBalance(payer.publicKey);
  const signature = await send([transfer]);
  expect(await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).toBeNull();
  expect(await connection.getBalance(to)).toBe(0);
  const made = chain.slot();
  expect(made.signatures).toEqual([signature]);
  expect(await connection.getBalance(to)).toBe(5_000_000);
  expect(await connection.getBalance(payer.publicKey)).toBe(before - 5_005_000);
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found).toMatchObject({
    slot: made.slot,
    blockTime: made.time,
    version: 'legacy',
    meta: { err: null, fee: 5000, preBalances: [before, 0, 1], postBalances: [before - 5_005_000, 5_000_000, 1] },
  });
  const block = await connection.getBlock(made.slot, { maxSupportedTransactionVersion: 0 });
  expect(block).toMatchObject({ blockhash: made.hash, parentSlot: made.parentSlot });
  expect(block?.transactions.map((t) => t.transaction.signatures[0])).toEqual([signature]);
  const listed = await connection.getSignaturesForAddress(to);
  expect(listed).toMatchObject([{ signature, slot: made.slot, err: null, confirmationStatus: 'confirmed' }]);
});

test('tokens: mint, transfer, balances before and after, and every way to read them', async () => {
  const mint = Keypair.generate();
  const [from, to] = [Keypair.generate(), Keypair.generate()];
  const rentMint = await connection.getMinimumBalanceForRentExemption(82);
  const rent = await connection.getMinimumBalanceForRentExemption(165);
  const owner = Keypair.generate().publicKey;
  await send(createMint(payer, mint, 6, rentMint), [payer, mint]);
  chain.slot();
  await send(createTokenAccount(payer, from, mint.publicKey, payer.publicKey, rent), [payer, from]);
  await send(createTokenAccount(payer, to, mint.publicKey, owner, rent), [payer, to]);
  chain.slot();
  await send([mintTo(mint.publicKey, from.publicKey, payer.publicKey, 2_500_000n)]);
  chain.slot();
  const signature = await send([transferTokens(from.publicKey, to.publicKey, payer.publicKey, 1_000_000n)]);
  chain.slot();
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  const keys = found?.transaction.message.staticAccountKeys.map(String) ?? [];
  const meta = found?.meta;
  const row = (account: PublicKey, holder: PublicKey, amount: string, uiAmount: number) => ({
    accountIndex: keys.indexOf(account.toBase58()),
    mint: mint.publicKey.toBase58(),
    owner: holder.toBase58(),
    programId: TOKEN_PROGRAM_TEXT,
    uiTokenAmount: { amount, decimals: 6, uiAmount, uiAmountString: String(uiAmount) },
  });
  // The client puts the keys in the order of their texts.
  const inOrder = (rows: ReturnType<typeof row>[]) => rows.sort((a, b) => a.accountIndex - b.accountIndex);
  const [held, given] = [from.publicKey, to.publicKey];
  const before = inOrder([row(held, payer.publicKey, '2500000', 2.5), row(given, owner, '0', 0)]);
  const after = inOrder([row(held, payer.publicKey, '1500000', 1.5), row(given, owner, '1000000', 1)]);
  expect(meta?.preTokenBalances).toEqual(before);
  expect(meta?.postTokenBalances).toEqual(after);

  expect((await connection.getTokenAccountBalance(to.publicKey)).value.amount).toBe('1000000');
  expect((await connection.getTokenSupply(mint.publicKey)).value.amount).toBe('2500000');
  const parsed = await connection.getParsedTokenAccountsByOwner(owner, { mint: mint.publicKey });
  expect(parsed.value).toHaveLength(1);
  expect(parsed.value[0]?.account.data.parsed.info.tokenAmount.amount).toBe('1000000');
  const byProgram = await connection.getProgramAccounts(new PublicKey(TOKEN_PROGRAM_TEXT), {
    filters: [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: owner.toBase58() } }],
  });
  expect(byProgram.map(({ pubkey }) => pubkey.toBase58())).toEqual([to.publicKey.toBase58()]);
});

test('simulation shows logs, inner instructions and accounts after, and changes nothing', async () => {
  const to = Keypair.generate().publicKey;
  const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 3_000_000 });
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: PublicKey.default.toBase58(),
    instructions: [transfer],
  }).compileToV0Message();
  const simulated = await connection.simulateTransaction(new VersionedTransaction(message), {
    replaceRecentBlockhash: true,
    accounts: { encoding: 'base64', addresses: [to.toBase58(), Keypair.generate().publicKey.toBase58()] },
    innerInstructions: true,
  });
  expect(simulated.value.err).toBeNull();
  expect(simulated.value.accounts).toMatchObject([{ lamports: 3_000_000 }, null]);
  expect(simulated.value.unitsConsumed).toBe(150);
  expect(simulated.value.innerInstructions).toEqual([]);
  chain.slot();
  expect(await connection.getBalance(to)).toBe(0);
  const stale = await connection.simulateTransaction(new VersionedTransaction(message), { sigVerify: false });
  expect(stale.value.err).toBe('BlockhashNotFound');
});

test('preflight refuses what would fail, with its logs; without it the failure lands and costs its fee', async () => {
  const poor = Keypair.generate();
  chain.airdrop(poor.publicKey.toBase58(), 1_000_000n);
  chain.slot();
  const transfer = SystemProgram.transfer({
    fromPubkey: poor.publicKey,
    toPubkey: payer.publicKey,
    lamports: LAMPORTS_PER_SOL,
  });
  const build = async () => {
    const transaction = new Transaction({ feePayer: poor.publicKey, ...(await connection.getLatestBlockhash()) });
    transaction.add(transfer).sign(poor);
    return transaction.serialize();
  };
  const refused = await raw('sendTransaction', Buffer.from(await build()).toString('base64'), { encoding: 'base64' });
  expect(refused.error).toMatchObject({
    code: -32002,
    message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
    data: {
      err: { InstructionError: [0, { Custom: 1 }] },
      logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
    },
  });
  const signature = await connection.sendRawTransaction(await build(), { skipPreflight: true });
  chain.slot();
  const status = await connection.getSignatureStatus(signature);
  expect(status.value?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(await connection.getBalance(poor.publicKey)).toBe(995_000);
  const bad = Uint8Array.from(await build());
  bad[5] = (bad[5] as number) ^ 1;
  const unsigned = await raw('sendTransaction', Buffer.from(bad).toString('base64'), { encoding: 'base64' });
  expect(unsigned.error?.code).toBe(-32003);
});

test('lookup tables: a v0 transaction loads its addresses through one', async () => {
  const slot = await connection.getSlot('finalized');
  const to = Keypair.generate().publicKey;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority: payer.publicKey,
    payer: payer.publicKey,
    recentSlot: slot,
  });
  const base = { payer: payer.publicKey, authority: payer.publicKey, lookupTable: table };
  await send([create, AddressLookupTableProgram.extendLookupTable({ ...base, addresses: [to] })]);
  chain.slot();
  chain.slot();
  const found = (await connection.getAddressLookupTable(table)).value;
  if (!found) throw new Error('the table was not made');
  const { blockhash: recentBlockhash } = await connection.getLatestBlockhash();
  const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 2_000_000 });
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions: [transfer] });
  const transaction = new VersionedTransaction(message.compileToV0Message([found]));
  transaction.sign([payer]);
  const signature = await connection.sendTransaction(transaction);
  const { slot: at } = chain.slot();
  const shown = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(shown?.version).toBe(0);
  expect(shown?.meta?.loadedAddresses).toEqual({ writable: [to], readonly: [] });
  expect(shown?.meta?.postBalances[2]).toBe(2_000_000);
  expect((await raw('getBlock', at, { commitment: 'confirmed' })).error?.code).toBe(-32015);
  expect((await connection.getSignaturesForAddress(to)).map((entry) => entry.signature)).toEqual([signature]);
});

test('inner instructions: creating an associated account calls the token and the system program', async () => {
  const mint = Keypair.generate();
  await send(createMint(payer, mint, 2, await connection.getMinimumBalanceForRentExemption(82)), [payer, mint]);
  chain.slot();
  const { account, instruction } = createAssociated(payer.publicKey, mint.publicKey);
  const signature = await send([instruction]);
  chain.slot();
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  const keys = found?.transaction.message.staticAccountKeys.map(String) ?? [];
  const inner = found?.meta?.innerInstructions ?? [];
  expect(inner.map(({ index }) => index)).toEqual([0]);
  const called = inner[0]?.instructions.map(({ programIdIndex }) => keys[programIdIndex]);
  expect(new Set(called)).toEqual(new Set([TOKEN_PROGRAM_TEXT, SystemProgram.programId.toBase58()]));
  const asJson = await rpcCall(chain.rpcUrl, 'getTransaction', signature, { commitment: 'confirmed' });
  expect(asJson.result.meta.innerInstructions[0].instructions[0].stackHeight).toBe(2);
  const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(parsed?.meta?.innerInstructions?.[0]?.instructions.map(({ programId }) => String(programId))).toEqual(called);
  expect(parsed?.transaction.message.accountKeys.filter(({ signer }) => signer)).toHaveLength(1);
  expect(parsed?.meta?.postTokenBalances).toMatchObject([
    { accountIndex: keys.indexOf(String(account)), owner: String(payer.publicKey), uiTokenAmount: { amount: '0' } },
  ]);
});

test('a deployed program runs, and forks and blocks keep it', async () => {
  const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
  const code = chain.account(memo.toBase58())?.data as Uint8Array;
  const program = Keypair.generate().publicKey;
  chain.deploy(program.toBase58(), code);
  const call = () => new TransactionInstruction({ programId: program, keys: [], data: Buffer.from('hello') });
  const run = async () => {
    const signature = await send([call()]);
    chain.slot();
    return (await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))?.meta;
  };
  expect(await run()).toMatchObject({
    err: null,
    logMessages: expect.arrayContaining([expect.stringContaining('hello')]),
  });
  expect(chain.account(program.toBase58())?.executable).toBe(true);
  chain.fork(2);
  expect(chain.account(program.toBase58())?.executable).toBe(true);
  expect(await run()).toMatchObject({ err: null });
});

test('fees: the price of compute units, and what a message would cost', async () => {
  const transaction = new Transaction({ feePayer: payer.publicKey, ...(await connection.getLatestBlockhash()) });
  transaction.add(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 12_345 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_001 }),
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 }),
  );
  const asked = await connection.getFeeForMessage(transaction.compileMessage());
  expect(asked.value).toBe(5000 + 12_346);
  const signature = await connection.sendTransaction(transaction, [payer]);
  const { slot } = chain.slot();
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found?.meta?.fee).toBe(asked.value);
  const fees = await connection.getRecentPrioritizationFees({ lockedWritableAccounts: [payer.publicKey] });
  expect(fees.find((entry) => entry.slot === slot)?.prioritizationFee).toBe(1_000_001);
});

test('a web3.js client gets notifications of accounts, programs, logs, slots, roots and signatures', async () => {
  const to = Keypair.generate().publicKey;
  const heard: Record<string, unknown[]> = { account: [], program: [], logs: [], slot: [], root: [], signature: [] };
  const note = (kind: string) => (value: unknown) => heard[kind]?.push(value);
  const transaction = new Transaction({ feePayer: payer.publicKey, ...(await connection.getLatestBlockhash()) });
  transaction.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 9_000_000 }));
  transaction.sign(payer);
  const signature = encodeBase58(transaction.signature as Uint8Array);
  connection.onAccountChange(to, note('account'));
  connection.onProgramAccountChange(SystemProgram.programId, note('program'));
  connection.onLogs('all', note('logs'));
  connection.onSlotChange(note('slot'));
  connection.onRootChange(note('root'));
  connection.onSignature(signature, note('signature'));
  // The client opens its socket and subscribes in its own time.
  await until(() => {
    chain.slot();
    return (heard.slot?.length ?? 0) > 0;
  });
  const { _subscriptionsByHash: asked } = connection as unknown as {
    _subscriptionsByHash: Record<string, { state: string }>;
  };
  await until(() => Object.values(asked).every(({ state }) => state === 'subscribed'));
  expect(Object.keys(asked)).toHaveLength(6);
  await connection.sendRawTransaction(transaction.serialize());
  chain.slot();
  const quiet = (): string[] => Object.keys(heard).filter((kind) => heard[kind]?.length === 0);
  await until(() => {
    chain.slot();
    return quiet().length === 0;
  });
  expect(heard.account).toMatchObject([{ lamports: 9_000_000 }]);
  expect(heard.logs).toMatchObject([{ signature, err: null }]);
  expect(heard.signature).toEqual([{ err: null }]);
});

test('signatures of an address come in pages, newest first, between two of them', async () => {
  const to = Keypair.generate().publicKey;
  const sent: string[] = [];
  for (let slot = 0; slot < 4; slot++) {
    for (let i = 0; i < 3; i++) sent.unshift(chain.airdrop(to.toBase58(), 1_000_000n));
    chain.slot();
  }
  const page = async (options: object) =>
    (await connection.getSignaturesForAddress(to, options)).map(({ signature }) => signature);
  expect(await page({})).toEqual(sent);
  const pages: string[] = [];
  for (let before: string | undefined; ; ) {
    const next = await page({ limit: 5, before });
    if (next.length === 0) break;
    pages.push(...next);
    before = next.at(-1);
  }
  expect(pages).toEqual(sent);
  expect(await page({ before: sent[1], until: sent[7] })).toEqual(sent.slice(2, 7));
  expect((await raw('getSignaturesForAddress', to.toBase58(), { limit: 1001 })).error?.code).toBe(-32602);
});

test('slots made by themselves take what the hook gives, through skips and forks', async () => {
  const to = Keypair.generate().publicKey.toBase58();
  const busy = await startLocalSolana({
    ...{ slotMs: 1, skipRate: 0.2, forkRate: 0.3, confirmedDepth: 0, autoSlots: true },
    beforeSlot: (one) => {
      one.airdrop(to, 1_000_000n);
      return [];
    },
  });
  try {
    const head = async () => (await rpcCall(busy.rpcUrl, 'getEpochInfo', { commitment: 'processed' })).result;
    await until('sixty blocks', async () => (await head()).blockHeight >= 60);
    busy.pause();
    const { absoluteSlot, blockHeight } = await head();
    expect(absoluteSlot).toBeGreaterThan(blockHeight);
    const config = { commitment: 'confirmed' };
    const landed = (await rpcCall(busy.rpcUrl, 'getSignaturesForAddress', to, config)).result as unknown[];
    expect(landed.length).toBeGreaterThan(20);
    expect(busy.account(to)?.lamports).toBe(1_000_000n * BigInt(landed.length));
    const slots = (await rpcCall(busy.rpcUrl, 'getBlocks', 0, config)).result as number[];
    expect(slots).toHaveLength(blockHeight + 1);
    busy.resume();
    await until('another block', async () => (await head()).blockHeight > blockHeight);
  } finally {
    await busy.stop();
  }
});
