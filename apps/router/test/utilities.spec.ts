import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { readTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { withSeed } from '#libs/devkit/testing/seeded-random.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { SolanaUtilities } from '../src/utilities/solana-utilities.js';
import { createUtilities } from './create-hosts.js';
import { COIN, hex, SolanaWorld } from './solana-world.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const SIGNATURE_BYTES = 64;

/** The legacy host over a local Solana chain: prices by its pools, transactions that its machine runs. */
describe('Solana utilities', () => {
  let world: SolanaWorld;
  let url: string;
  let end: () => Promise<void>;
  const feeWallet = new SeededKey('fee wallet of the utilities');
  const book = new PoolBook();
  const receiver = new SeededKey('receiver of the utilities');
  const wallets = [0, 1, 2].map((n) => new SeededKey(`wallet ${n} of the utilities`));

  beforeAll(async () => {
    world = await SolanaWorld.start();
    for (const [index, key] of [...wallets, feeWallet].entries()) {
      world.market.fund(key.address, { lamports: 1_000_000_007n + BigInt(index) });
    }
    await world.settled();
    const relay = { tipAccount: async () => world.market.chain.faucet };
    const services = { ...world.chain.services!, market: () => book };
    const utilities = new SolanaUtilities({ ...world.chain, services }, relay, feeWallet.id, silent, new NodePools());
    utilities.open([world.market.chain.rpcUrl]);
    const running = await createUtilities(utilities, { accounts: null, logger: silent, version: '1.2.3' });
    url = running.url;
    end = async () => {
      await running.close();
      await utilities.close();
    };
  });
  afterAll(async () => {
    await end();
    await world.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field
  const answer = async (response: Response) => ({ status: response.status, body: (await response.json()) as any });
  const quote = async (mint: string) => answer(await fetch(`${url}/api/sol/quote/${mint}`));
  const consolidate = async (body: unknown) =>
    answer(await fetch(`${url}/api/sol/consolidate`, { method: 'POST', body: JSON.stringify(body) }));
  const refused = (status: number, code: string, message: RegExp) => ({
    status,
    body: { success: false, error: { code, message: expect.stringMatching(message) } },
  });
  const lamports = (address: string): bigint => world.market.chain.account(address)?.lamports ?? 0n;

  it('prices a token as its deepest pool against SOL does', async () => {
    const { tokens } = world.market.contents();
    const token = tokens.find(({ symbol }) => symbol === 'STRN')!;
    const [mint, coin] = [hex(token.address), hex(COIN)];
    const [token0, token1] = [mint, coin].sort() as [string, string];
    const load = (pool: string, own: bigint, lamports: bigint): void => {
      const [reserve0, reserve1] = token0 === mint ? [own, lamports] : [lamports, own];
      const record = { pool, venue: 'tidepool-amm', kind: 'constant-product' as const, token0, token1, feePpm: 0 };
      const state = { pool, reserve0, reserve1, concentrated: null, anchored: true, setApart: null };
      book.load({ ...record, tickSpacing: 0, created: true }, state, 1);
    };
    const { status: early } = await quote(token.address);
    expect(early).toBe(503);
    load('11'.repeat(32), 10n ** BigInt(token.decimals), 2_000_000_000n);
    load('22'.repeat(32), 40n * 10n ** BigInt(token.decimals), 100_000_000_000n);
    load('33'.repeat(32), 10n ** BigInt(token.decimals), 3_000_000_000n);
    book.startAt(1, { height: 4_711, hash: '00', time: 0 });
    expect(await quote(token.address)).toEqual({
      status: 200,
      body: {
        success: true,
        quote: {
          ...{ mint: token.address, pool: world.spec.ids.formatAddress('22'.repeat(32)), avgPrice: 2.5, slot: '4711' },
          programId: world.spec.ids.formatAddress(
            world.spec.venues.find(({ venue }) => venue === 'tidepool-amm')!.factory,
          ),
        },
      },
    });
    expect(await quote('nonsense')).toEqual(refused(400, 'bad_request', /mint must be a Solana address/));
    expect(await quote(receiver.address)).toEqual(refused(404, 'not_found', /no pool of .* against SOL is known/));
    expect(await quote(COIN)).toEqual(refused(400, 'bad_request', /mint must be another token/));
  });

  it.each([
    ['base58', undefined, 40, 0],
    ['base64', 'base64', 100, 12_345],
  ] as const)('sweeps wallets in their order (%s)', async (_name, encoding, percentage, tipLamports) => {
    // What the node has confirmed is the newest state then.
    world.market.slot({ traders: false });
    const before = wallets.map(({ address }) => lamports(address));
    const [held, fees, tips] = [receiver.address, feeWallet.address, world.market.chain.faucet].map(lamports);
    const { status, body } = await consolidate({
      ...{ wallets: wallets.map(({ address }) => address), receiver: receiver.address, percentage },
      ...{ encoding, tipLamports },
    });
    expect({ status, success: body.success, error: body.error }).toEqual({
      status: 200,
      success: true,
      error: undefined,
    });
    expect(body.transactions).toHaveLength(wallets.length);
    body.transactions.forEach((text: string, index: number) => {
      const wire = encoding === 'base64' ? Buffer.from(text, 'base64') : Buffer.from(decodeBase58(text)!);
      const { version, keys, header } = readTransaction(wire);
      expect({ version, payer: keys[0], required: header.required }).toEqual({
        ...{ version: 1, payer: wallets[index]!.address, required: 1 },
      });
      const message = wire.subarray(0, wire.length - SIGNATURE_BYTES);
      const signature = world.market.chain.send(Buffer.concat([message, wallets[index]!.sign(message)]));
      world.market.chain.slot();
      expect(world.market.chain.resultOf(signature)).toBeNull();
    });
    const shares = before.map((balance) => (balance * BigInt(percentage)) / 100n);
    expect(wallets.map(({ address }) => lamports(address))).toEqual(before.map((balance, n) => balance - shares[n]!));
    const costs = 5_000n + 1_000_000n + BigInt(tipLamports);
    expect(lamports(receiver.address) - held!).toBe(shares.reduce((sum, share) => sum + share - costs, 0n));
    expect(lamports(feeWallet.address) - fees!).toBe(3_000_000n);
    expect(lamports(world.market.chain.faucet) - tips!).toBe(3n * BigInt(tipLamports));
  });

  it('sweeps 50 wallets of any balances to the lamport', async () => {
    await withSeed('50 wallets', async (random) => {
      const many = Array.from({ length: 50 }, (_, n) => new SeededKey(`wallet ${n} of 50, ${random.hex(8)}`));
      const to = new SeededKey(`receiver of 50, ${random.hex(8)}`);
      for (const { address } of many) {
        world.market.fund(address, { lamports: BigInt(random.int(20_000_000, 2_000_000_000)) });
      }
      for (const percentage of [random.int(30, 80), 100]) {
        // What the node has confirmed is the newest state then.
        for (let n = 0; n < 3; n++) world.market.slot({ traders: false });
        const before = many.map(({ address }) => lamports(address));
        expect(before.filter((held) => held === 0n)).toEqual([]);
        const [fees, tips, received] = [feeWallet.address, world.market.chain.faucet, to.address].map(lamports);
        const tipLamports = random.int(1, 20_000);
        const { status, body } = await consolidate({
          ...{ wallets: many.map(({ address }) => address), receiver: to.address, percentage },
          ...{ encoding: 'base64', tipLamports },
        });
        expect({ status, error: body.error, count: body.transactions?.length }).toEqual({ status: 200, count: 50 });
        const sent = body.transactions.map((text: string, index: number) => {
          const wire = Buffer.from(text, 'base64');
          const message = wire.subarray(0, wire.length - SIGNATURE_BYTES);
          return world.market.chain.send(Buffer.concat([message, many[index]!.sign(message)]));
        });
        world.market.chain.slot();
        expect(sent.filter((signature: string) => world.market.chain.resultOf(signature) !== null)).toEqual([]);
        const shares = before.map((held) => (held * BigInt(percentage)) / 100n);
        expect(many.map(({ address }) => lamports(address))).toEqual(before.map((held, n) => held - shares[n]!));
        const costs = 5_000n + 1_000_000n + BigInt(tipLamports);
        expect(lamports(to.address) - received!).toBe(shares.reduce((sum, share) => sum + share - costs, 0n));
        expect(lamports(feeWallet.address) - fees!).toBe(50_000_000n);
        expect(lamports(world.market.chain.faucet) - tips!).toBe(50n * BigInt(tipLamports));
      }
      expect(many.map(({ address }) => lamports(address))).toEqual(many.map(() => 0n));
    });
  });

  it('refuses what cannot be swept, and names it', async () => {
    const [wallet] = [feeWallet.address];
    const good = { wallets: [wallet], receiver: receiver.address, percentage: 50 };
    const cases: [object, RegExp][] = [
      [{ wallets: [] }, /wallets must be a list of 1 to 50/],
      [{ wallets: new Array(51).fill(wallet) }, /wallets must be a list of 1 to 50/],
      [{ wallets: ['x'] }, /wallets\[0\] must be a Solana address/],
      [{ wallets: [wallet, wallet] }, /wallets\[1\] is there twice/],
      [{ wallets: [receiver.address] }, /wallets\[0\] is the receiver/],
      [{ wallets: [world.mint('USDC')] }, /wallets\[0\] is no wallet/],
      [{ receiver: 7 }, /receiver must be a Solana address/],
      ...[0, 101, 1.5, '50', null].map((percentage): [object, RegExp] => [
        { percentage },
        /percentage must be a whole number from 1 to 100/,
      ]),
      [{ tipLamports: -1 }, /tipLamports must be a whole number/],
      [{ encoding: 'hex' }, /encoding must be base58 or base64/],
    ];
    for (const [change, message] of cases) {
      expect(await consolidate({ ...good, ...change })).toEqual(refused(400, 'bad_request', message));
    }
    const empty = new SeededKey('an empty wallet').address;
    expect(await consolidate({ ...good, wallets: [wallet, empty] })).toEqual(
      refused(422, 'insufficient_funds', /wallets\[1\] holds 0 lamports/),
    );
    expect(await consolidate({ ...good, tipLamports: 900_000_000_000 })).toEqual(
      refused(422, 'insufficient_funds', /does not pay fees and tip/),
    );
  });
});
