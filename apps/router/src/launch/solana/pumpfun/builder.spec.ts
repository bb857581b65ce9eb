import { PUMP_SDK, pumpIdl } from '@pump-fun/pump-sdk';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import BN from 'bn.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { createAssociatedAccount } from '#programs/client.js';
import { encodeTransaction } from '../../../solana/transaction/v1-transaction.js';
import { BLOCKHASH, FakeNode, LIMITS } from '../test/fake-node.js';
import { key, ours, plain, randomId } from '../test/sdk-instruction.js';
import { solanaPumpFun } from './builder.js';
import { buyExactSolIn, createV2, TOKEN_2022 } from './instructions.js';

/** pump.fun's instructions equal those of its published SDK byte for byte; its builder puts these into one transaction. */
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
      const [mint, creator, user] = [randomId(random), randomId(random), randomId(random)] as const;
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
  let node: FakeNode;
  beforeAll(async () => {
    node = await FakeNode.start();
  });
  afterAll(() => node.close());

  it('is the SDK’s instructions in one v1 transaction, whose floor is that of its simulation', async () => {
    const { creator, mint, given, spent } = node;
    const create = await theirCreate(mint.id, creator.id, 'Spring Tide', 'TIDE', 'https://x.example.com/y');
    for (const initialBuy of [0n, 1_000_000_000n]) {
      const answer = await node.build(solanaPumpFun, initialBuy);
      const floor = (given * 99n) / 100n;
      const buy = await theirBuy(mint.id, creator.id, creator.id, initialBuy, floor);
      const account = createAssociatedAccount(creator.id, creator.id, mint.id, TOKEN_2022);
      const all = initialBuy === 0n ? [create] : [create, account, buy];
      const { bytes } = encodeTransaction(creator.id, all, LIMITS, Buffer.from(BLOCKHASH, 'hex'));
      expect(answer.transactions).toEqual([bytes.toString('base64')]);
      expect(node.tried).toHaveLength(initialBuy === 0n ? 1 : 2);
      expect(answer.address).toBe(mint.address);
      const amounts = { inAmount: '1000000000', outAmount: String(given), minOutAmount: String(floor) };
      expect(answer.buy).toEqual(initialBuy === 0n ? null : amounts);
      expect(answer.cost).toEqual({
        ...{ networkFee: '10000', rent: String(spent - 10_000n - initialBuy), initialBuy: String(initialBuy) },
        total: String(spent),
      });
    }
  });

  it('is refused where the program is missing, or the coins are', async () => {
    node.failure = 'ProgramAccountNotFound';
    await expect(node.build(solanaPumpFun, 0n)).rejects.toMatchObject({ status: 501, code: 'not_wired' });
    node.failure = { InstructionError: [2, { Custom: 6042 }] };
    await expect(node.build(solanaPumpFun, 1n)).rejects.toMatchObject({ status: 409, code: 'simulation_failed' });
    node.failure = null;
    await expect(node.build(solanaPumpFun, node.held)).rejects.toMatchObject({ code: 'insufficient_funds' });
  });
});
