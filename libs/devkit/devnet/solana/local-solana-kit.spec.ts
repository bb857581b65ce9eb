import { setMaxListeners } from 'node:events';
import {
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  devnet,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { until } from '#libs/devkit/testing/until.js';
import { type LocalSolana, startLocalSolana } from './local-solana.js';
import { rpcCall } from './test/rpc-call.js';

/** The kit client, unchanged, against the local chain: all transaction versions and every subscription. */
const SYSTEM = '11111111111111111111111111111111' as KeyPairSigner['address'];
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as KeyPairSigner['address'];

let chain: LocalSolana;
const connect = (url: string) => createSolanaRpc(devnet(url));
let rpc: ReturnType<typeof connect>;
let payer: KeyPairSigner;

beforeAll(async () => {
  chain = await startLocalSolana({ finalizedDepth: 4 });
  rpc = connect(chain.rpcUrl);
  payer = await generateKeyPairSigner();
  await rpc.requestAirdrop(payer.address, lamports(50_000_000_000n)).send();
  chain.slot();
});

afterAll(() => chain.stop());

function transferTo(to: KeyPairSigner, amount: bigint): Instruction {
  const data = new Uint8Array(12);
  data[0] = 2;
  new DataView(data.buffer).setBigUint64(4, amount, true);
  const accounts = [
    { address: payer.address, role: 3, signer: payer },
    { address: to.address, role: 1 },
  ];
  return { programAddress: SYSTEM, accounts, data } as Instruction;
}

async function signed(version: 'legacy' | 0 | 1, instruction: Instruction) {
  const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'processed' }).send();
  const v1 = { computeUnitLimit: 50_000, loadedAccountsDataSizeLimit: 1 << 20, priorityFeeLamports: 777n };
  const message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
    (m) => (version === 1 ? (setTransactionMessageConfig(v1, m as never) as typeof m) : m),
    (m) => appendTransactionMessageInstruction(instruction, m),
  );
  return signTransactionMessageWithSigners(message);
}

test.each(['legacy', 0, 1] as const)('a transaction of version %s lands and is shown', async (version) => {
  const to = await generateKeyPairSigner();
  const transaction = await signed(version, transferTo(to, 2_000_000n));
  const wire = getBase64EncodedWireTransaction(transaction);
  const simulated = await rpc.simulateTransaction(wire, { encoding: 'base64', sigVerify: true }).send();
  expect(simulated.value.err).toBeNull();
  const signature = await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
  expect(signature).toBe(getSignatureFromTransaction(transaction));
  const { slot } = chain.slot();
  chain.slot();
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 } as const;
  const shown = await rpc.getTransaction(signature, config as never).send();
  const fee = version === 1 ? 5777n : 5000n;
  expect(shown).toMatchObject({ slot: BigInt(slot), version, transaction: [wire, 'base64'], meta: { err: null, fee } });
  const known = { ...config, transactionDetails: 'full', rewards: false };
  const block = (await rpcCall(chain.rpcUrl, 'getBlock', slot, known)).result;
  expect(block.transactions).toMatchObject([{ transaction: [wire, 'base64'], version }]);
  const { value } = await rpc.getBalance(to.address, { commitment: 'processed' }).send();
  expect(value).toBe(2_000_000n);
  const older = await rpcCall(chain.rpcUrl, 'getTransaction', signature, { commitment: 'confirmed' });
  expect(older.error?.code).toBe(version === 'legacy' ? undefined : -32015);
});

test('reads name a commitment: newest, confirmed and final accounts differ', async () => {
  const to = await generateKeyPairSigner();
  const transaction = await signed(0, transferTo(to, 3_000_000n));
  await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send();
  const seen = async () =>
    Promise.all(
      (['processed', 'confirmed', 'finalized'] as const).map(async (commitment) => {
        const { value } = await rpc.getAccountInfo(to.address, { commitment, encoding: 'base64' }).send();
        return value?.lamports ?? null;
      }),
    );
  expect(await seen()).toEqual([null, null, null]);
  chain.slot();
  expect(await seen()).toEqual([3_000_000n, null, null]);
  chain.slot();
  expect(await seen()).toEqual([3_000_000n, 3_000_000n, null]);
  for (let i = 0; i < 3; i++) chain.slot();
  expect(await seen()).toEqual([3_000_000n, 3_000_000n, 3_000_000n]);
  const late = await rpcCall(chain.rpcUrl, 'getBalance', to.address, { minContextSlot: 1e9 });
  expect(late.error).toMatchObject({ code: -32016, data: { contextSlot: expect.any(Number) } });
});

test('every subscription tells at its commitment, and a fork tells the blocks that replace', async () => {
  const subscriptions = createSolanaRpcSubscriptions(chain.wsUrl as 'ws://local');
  const unstable = createSolanaRpcSubscriptions(chain.wsUrl as 'ws://local') as never as {
    blockNotifications(filter: unknown, config: unknown): { subscribe(o: object): Promise<AsyncIterable<unknown>> };
  };
  const ending = new AbortController();
  setMaxListeners(20, ending.signal);
  // biome-ignore lint/suspicious/noExplicitAny: notifications of every kind side by side.
  const got: Record<string, any[]> = {};
  type Pending = { subscribe(options: { abortSignal: AbortSignal }): Promise<AsyncIterable<unknown>> };
  const listen = async (name: string, pending: unknown): Promise<void> => {
    const notifications = await (pending as Pending).subscribe({ abortSignal: ending.signal });
    got[name] = [];
    void (async () => {
      for await (const notification of notifications) got[name]?.push(notification);
    })().catch(() => undefined);
  };
  const to = await generateKeyPairSigner();
  const memo = { programAddress: MEMO, accounts: [], data: new TextEncoder().encode('one') } as Instruction;
  const first = await signed(0, memo);
  const second = await signed(1, transferTo(to, 4_000_000n));
  const [memoId, transferId] = [getSignatureFromTransaction(first), getSignatureFromTransaction(second)];

  await listen('slot', subscriptions.slotNotifications());
  await listen('root', subscriptions.rootNotifications());
  await listen('logs', subscriptions.logsNotifications({ mentions: [MEMO] }, { commitment: 'confirmed' }));
  await listen('allLogs', subscriptions.logsNotifications('all', { commitment: 'processed' }));
  const account = { commitment: 'processed', encoding: 'base64' } as const;
  await listen('account', subscriptions.accountNotifications(to.address, account));
  await listen('finalAccount', subscriptions.accountNotifications(to.address, { ...account, commitment: 'finalized' }));
  await listen('program', subscriptions.programNotifications(SYSTEM, account));
  await listen('signature', subscriptions.signatureNotifications(transferId, { commitment: 'confirmed' }));
  const full = { commitment: 'confirmed', maxSupportedTransactionVersion: 1, encoding: 'base64' };
  const mentions = { mentionsAccountOrProgram: MEMO };
  await listen('block', unstable.blockNotifications('all', full));
  await listen('memoBlock', unstable.blockNotifications(mentions, full));

  for (const transaction of [first, second]) {
    await rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction as typeof first), { encoding: 'base64' })
      .send();
  }
  const one = chain.slot();
  await until(() => got.account?.length === 1 && got.allLogs?.length === 2 && got.slot?.length === 1);
  expect(got.slot?.[0]).toMatchObject({ slot: BigInt(one.slot), parent: BigInt(one.parentSlot) });
  expect(got.allLogs?.map(({ value }) => value.signature)).toEqual([memoId, transferId]);
  expect(got.account?.[0]).toMatchObject({ context: { slot: BigInt(one.slot) }, value: { lamports: 4_000_000n } });
  expect(got.program?.map(({ value }) => value.pubkey).sort()).toEqual([payer.address, to.address].sort());
  expect([got.logs, got.signature, got.finalAccount]).toEqual([[], [], []]);
  // The block before is confirmed now, and no other.
  expect(got.block?.map(({ value }) => Number(value.slot))).toEqual([one.parentSlot]);

  const two = chain.slot();
  await until(() => got.logs?.length === 1 && got.signature?.length === 1 && got.memoBlock?.length === 2);
  expect(got.signature?.[0]).toMatchObject({ context: { slot: BigInt(one.slot) }, value: { err: null } });
  const shown = got.block?.at(-1).value;
  expect(shown).toMatchObject({ slot: BigInt(one.slot), err: null, block: { blockhash: one.hash } });
  expect(shown.block.transactions).toHaveLength(2);
  expect(got.memoBlock?.at(-1).value.block.transactions).toHaveLength(1);

  // Blocks one and two are replaced by others in later slots.
  const made = chain.fork(2, { drop: 0 });
  expect(made.map(({ signatures }) => signatures)).toEqual([[memoId, transferId], []]);
  expect(made[0]?.parentSlot).toBe(one.parentSlot);
  chain.slot();
  await until(() => got.logs?.length === 2 && got.account?.length === 2);
  const slots = got.block?.slice(-3).map(({ value }) => Number(value.slot));
  expect(slots).toEqual([one.slot, made[0]?.slot, made[1]?.slot]);
  expect(slots).not.toContain(two.slot);
  for (let i = 0; i < 4; i++) chain.slot();
  await until(() => got.finalAccount?.length === 1);
  expect(got.finalAccount?.[0].context.slot).toBe(BigInt(made[0]?.slot as number));
  expect(got.root?.map(Number)).toContain(made[0]?.slot);
  expect(got.root?.map(Number)).not.toContain(one.slot);
  expect(got.signature).toHaveLength(1);
  ending.abort();
});

test('getBlock: not there yet, skipped, final; a fork makes the old slots skipped', async () => {
  const getBlock = (slot: number, commitment: string) =>
    rpcCall(chain.rpcUrl, 'getBlock', slot, { commitment, maxSupportedTransactionVersion: 1 });
  const base = chain.slot();
  chain.skip(3);
  const after = chain.slot();
  expect(after.slot).toBe(base.slot + 4);
  expect(after.parentSlot).toBe(base.slot);
  expect((await getBlock(after.slot, 'confirmed')).error?.code).toBe(-32004);
  expect((await getBlock(base.slot, 'processed')).error?.code).toBe(-32602);
  expect((await getBlock(base.slot, 'confirmed')).result.blockhash).toBe(base.hash);
  expect((await getBlock(base.slot, 'finalized')).error?.code).toBe(-32004);
  chain.fork(1);
  for (let i = 0; i < 5; i++) chain.slot();
  expect((await getBlock(base.slot + 1, 'finalized')).error?.code).toBe(-32007);
  expect((await getBlock(after.slot, 'finalized')).error?.code).toBe(-32007);
  expect((await getBlock(base.slot, 'finalized')).result.blockhash).toBe(base.hash);
  const listed = await rpcCall(chain.rpcUrl, 'getBlocks', base.slot, after.slot + 1);
  expect(listed.result).toEqual([base.slot, after.slot + 1]);
  const limited = await rpcCall(chain.rpcUrl, 'getBlocksWithLimit', base.slot, 2);
  expect(limited.result).toEqual([base.slot, after.slot + 1]);
  expect((await rpcCall(chain.rpcUrl, 'getBlockTime', base.slot)).result).toBe(base.time);
});

test('numbers above 2^53 keep every digit', async () => {
  const address = getBase58Decoder().decode(new Uint8Array(32).fill(5));
  const account = {
    lamports: 2n ** 63n + 1n,
    owner: SYSTEM,
    data: new Uint8Array(0),
    executable: false,
    rentEpoch: 0n,
  };
  chain.setAccount(address, account);
  const { value } = await rpc.getAccountInfo(address as never, { commitment: 'processed' }).send();
  expect(value).toMatchObject({ lamports: 2n ** 63n + 1n });
});
