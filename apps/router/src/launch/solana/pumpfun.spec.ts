import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PUMP_SDK, pumpIdl } from '@pump-fun/pump-sdk';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import BN from 'bn.js';
import { servedChains } from '#libs/catalogue/catalogue.js';
import { solanaIds } from '#libs/chains/solana/ids.js';
import { SeededKey } from '#libs/devnet/solana/market/seeded-key.js';
import { scaled, withSeed } from '#libs/testing/seeded-random.js';
import { createAssociatedAccount, type Instruction } from '#programs/client.js';
import { encodeTransaction } from '../../solana/transaction/v1-transaction.js';
import { onSolanaNode } from '../caller-node.js';
import type { CreateOrder } from '../ports.js';
import { solanaPumpFun } from './pumpfun.js';
import { buyExactSolIn, createV2, TOKEN_2022 } from './pumpfun-instructions.js';

/** pump.fun's instructions equal those of its published SDK byte for byte; its builder puts these into one transaction. */
const key = (id: string): PublicKey => new PublicKey(Buffer.from(id, 'hex'));

const ours = ({ programId, keys, data }: TransactionInstruction): Instruction => ({
  program: programId.toBuffer().toString('hex'),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
    ...{ id: pubkey.toBuffer().toString('hex'), signer: isSigner, writable: isWritable },
  })),
  data: new Uint8Array(data),
});
const plain = ({ program, accounts, data }: Instruction) => ({
  program,
  accounts: accounts.map(({ id, signer, writable }) => ({ id, signer, writable })),
  data: Buffer.from(data).toString('hex'),
});

const theirCreate = async (mint: string, creator: string, name: string, symbol: string, uri: string) =>
  ours(
    await PUMP_SDK.createV2Instruction({
      ...{ mint: key(mint), name, symbol, uri, creator: key(creator), user: key(creator), mayhemMode: false },
    }),
  );

const recipients = {
  feeRecipient: new PublicKey('62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV'),
  buybackFeeRecipient: new PublicKey('5YxQFdt3Tr9zJLvkFccqXVUwhdTWJQc1fFg2YPbxvxeD'),
};

/** The SDK's own `buy` has the accounts of `buy_exact_sol_in`, whose head and arguments the IDL gives. */
async function theirBuy(mint: string, creator: string, user: string, lamports: bigint, least: bigint) {
  const named = (name: string) => pumpIdl.instructions.find((instruction) => instruction.name === name)!;
  const [buy, exact] = [named('buy'), named('buy_exact_sol_in')];
  expect(exact.accounts.map(({ name }) => name)).toEqual(buy.accounts.map(({ name }) => name));
  expect(exact.args.map(({ name }) => name)).toEqual(['spendable_sol_in', 'min_tokens_out', 'track_volume']);
  const made = await PUMP_SDK.getBuyInstructionRaw({
    ...{ mint: key(mint), creator: key(creator), user: key(user), ...recipients },
    ...{ amount: new BN(lamports.toString()), solAmount: new BN(least.toString()) },
    tokenProgram: key(TOKEN_2022),
  });
  const data = Buffer.concat([Buffer.from(exact.discriminator), made.data.subarray(8)]);
  return ours({ ...made, data } as TransactionInstruction);
}

it('instructions are those of the SDK', async () => {
  await withSeed('pump.fun', async (random) => {
    for (let n = 0; n < scaled(200, 20); n++) {
      const [mint, creator, user] = ['mint', 'creator', 'user'].map(
        (word) => new SeededKey(`${word} ${random.below(2 ** 30)}`).id,
      ) as [string, string, string];
      const [name, symbol, uri] = ['Né 🌊', 'TIDE', `https://router.example.com/${n}`] as const;
      expect(plain(createV2({ mint, creator, name, symbol, uri }))).toEqual(
        plain(await theirCreate(mint, creator, name, symbol, uri)),
      );
      const lamports = BigInt(random.below(2 ** 30)) * BigInt(random.below(2 ** 30));
      const leastTokens = BigInt(random.below(2 ** 30));
      expect(plain(buyExactSolIn({ mint, creator, user, lamports, leastTokens }))).toEqual(
        plain(await theirBuy(mint, creator, user, lamports, leastTokens)),
      );
    }
  });
});

describe('a create', () => {
  const [creator, mint] = [new SeededKey('creator'), new SeededKey('mint')];
  const held = 5_000_000_000n;
  const given = 3_527_000_000_001n;
  const blockhash = solanaIds.formatBlockHash('11'.repeat(32));
  /** What a node that has the program would say; what it was asked to run. */
  const tried: Buffer[] = [];
  let failure: unknown = null;
  let server: Server;

  const account = (lamports: bigint, data: Buffer) => ({
    ...{ owner: solanaIds.formatAddress(TOKEN_2022), lamports: Number(lamports), executable: false, rentEpoch: 0 },
    data: [data.toString('base64'), 'base64'],
  });
  const answerTo = (method: string, params: unknown[]): unknown => {
    const context = { slot: 300_000_000 };
    if (method === 'getGenesisHash') return blockhash;
    if (method === 'getLatestBlockhash') return { context, value: { blockhash, lastValidBlockHeight: 5 } };
    if (method === 'getMultipleAccounts') return { context, value: [account(held, Buffer.alloc(0)), null] };
    expect(method).toBe('simulateTransaction');
    tried.push(Buffer.from(params[0] as string, 'base64'));
    const tokens = Buffer.alloc(170);
    tokens.writeBigUInt64LE(given, 64);
    const accounts = [account(held - 1_020_510_000n, Buffer.alloc(0)), account(2_000_000n, tokens)];
    const figures = { unitsConsumed: 150_000, loadedAccountsDataSize: 400_000, logs: [] };
    return { context, value: { err: failure, ...figures, accounts: failure === null ? accounts : null } };
  };

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const asked = JSON.parse(Buffer.concat(parts).toString());
      const answers = [asked]
        .flat()
        .map(({ id, method, params }) => ({ jsonrpc: '2.0', id, result: answerTo(method, params) }));
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => new Promise((done) => server.close(done)));
  beforeEach(() => void tried.splice(0));

  const order = (initialBuy: bigint): CreateOrder => ({
    chain: servedChains().find(({ family }) => family === 'solana')!,
    ...{ creator: creator.id, mint: mint.id, name: 'Spring Tide', symbol: 'TIDE', uri: 'https://x.example.com/y' },
    ...{ initialBuy, slippageBps: 100 },
  });
  const built = (initialBuy: bigint) => {
    const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signal } = new AbortController();
    return onSolanaNode({ rpcUrl, trustedOrigin: rpcUrl, exchangeMs: 120_000 }, signal, (endpoint) =>
      solanaPumpFun.build(endpoint, order(initialBuy), signal),
    );
  };

  it('is the SDK’s instructions in one v1 transaction, whose floor is that of its simulation', async () => {
    const create = await theirCreate(mint.id, creator.id, 'Spring Tide', 'TIDE', 'https://x.example.com/y');
    for (const initialBuy of [0n, 1_000_000_000n]) {
      tried.splice(0);
      const answer = await built(initialBuy);
      const floor = (given * 99n) / 100n;
      const buy = await theirBuy(mint.id, creator.id, creator.id, initialBuy, floor);
      const account = createAssociatedAccount(creator.id, creator.id, mint.id, TOKEN_2022);
      const all = initialBuy === 0n ? [create] : [create, account, buy];
      const config = {
        computeUnitLimit: 174_500,
        loadedAccountsDataSizeLimit: 458_752,
        priorityFeeLamports: 0n,
        heapSize: null,
      };
      const { bytes } = encodeTransaction(creator.id, all, config, Buffer.from('11'.repeat(32), 'hex'));
      expect(answer.transactions).toEqual([bytes.toString('base64')]);
      expect(tried).toHaveLength(initialBuy === 0n ? 1 : 2);
      expect(answer.address).toBe(mint.address);
      const amounts = { inAmount: '1000000000', outAmount: String(given), minOutAmount: String(floor) };
      expect(answer.buy).toEqual(initialBuy === 0n ? null : amounts);
      expect(answer.cost).toEqual({
        ...{ networkFee: '10000', rent: String(1_020_500_000n - initialBuy), initialBuy: String(initialBuy) },
        total: '1020510000',
      });
    }
  });

  it('is refused where the program is missing, or the coins are', async () => {
    failure = 'ProgramAccountNotFound';
    await expect(built(0n)).rejects.toMatchObject({ status: 501, code: 'not_wired' });
    failure = { InstructionError: [2, { Custom: 6042 }] };
    await expect(built(1n)).rejects.toMatchObject({ status: 409, code: 'simulation_failed' });
    failure = null;
    await expect(built(held)).rejects.toMatchObject({ status: 422, code: 'insufficient_funds' });
  });
});
