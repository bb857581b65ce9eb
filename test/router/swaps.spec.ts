import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { untilAnswer } from '#libs/devkit/testing/until.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmReceiptsAnswer } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import { RouterWorld } from './router-world.js';
import { Wallet } from './wallet.js';

/**
 * The whole way on a real chain: quote, build, sign, mine, and the receipt that the router writes of it. Between quote and
 * build the chain moves on, also by replacing the quote's own block: what is built meets its floor or is refused.
 */
const seed = testSeed();
const SWAPS = Math.max(8, Math.round(60 * scale));
const ROUNDS = Math.max(12, Math.round(80 * scale));
const LIMIT_MS = 600_000;
const NATIVE = `0x${'e'.repeat(40)}`;
const COIN = 10n ** 18n;

describe(`swaps from the quote to the receipt (seed ${seed})`, () => {
  const random = new SeededRandom(seed);
  let world: RouterWorld;
  let wallet: Wallet;
  let mints: string[];

  beforeAll(async () => {
    world = await RouterWorld.open(['eth'], { seed, historyBlocks: 30 });
    const chain = world.chain('eth');
    wallet = new Wallet(chain);
    const plain = chain.local.tokens.filter(({ taxed, gated }) => !taxed && gated !== true);
    const tokens = plain.map(({ address, decimals, usd }) => {
      return { token: address, amount: BigInt(Math.ceil(1e9 / usd)) * 10n ** BigInt(Math.max(0, decimals - 4)) };
    });
    await chain.local.fund(wallet.address, {
      eth: 1_000n * COIN,
      tokens: tokens.filter(({ token }) => token !== `0x${world.services('eth').spec.wrappedNative.token}`),
    });
    mints = [NATIVE, ...plain.map(({ address }) => address)];
  }, LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  const quoteOf = async (inputMint: string, outputMint: string, rest = ''): Promise<EvmQuote | null> => {
    const amount = inputMint === NATIVE ? COIN / BigInt(1 + random.int(50)) : await someOf(inputMint);
    if (amount === 0n) return null;
    const path = `/evm/quote?chain=1&inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&maxHops=3${rest}`;
    const { status, body } = await world.get<EvmQuote>(path);
    return status === 200 ? body : null;
  };

  /** Up to a fiftieth of what the wallet holds. */
  const someOf = async (token: string): Promise<bigint> => {
    const data = `0x70a08231${wallet.address.slice(2).padStart(64, '0')}`;
    const held = BigInt(await world.chain('eth').rpc.call<string>('eth_call', [{ to: token, data }, 'latest']));
    return held / BigInt(50 + random.int(500));
  };

  const build = (quoteResponse: EvmQuote, rest: object = {}) =>
    world.post<EvmSwapAnswer & { error?: string }>('/evm/swap', {
      ...{ quoteResponse, userPublicKey: wallet.address },
      ...rest,
    });

  test(
    `${SWAPS} swaps are mined as built, and each has its receipt`,
    async () => {
      const promised = new Map<string, { quoted: bigint; simulated: bigint }>();
      while (promised.size < SWAPS) {
        await world.caughtUp('eth');
        const [input, output] = random.shuffle([...mints]) as [string, string];
        const quote = await quoteOf(input, output);
        if (quote === null || quote.routePlan.length === 0) continue;
        const { status, body } = await build(quote);
        expect({ quote, status, body }).toMatchObject({ status: 200 });
        const receipts = await wallet.mine([...body.setupTransactions, body.swapTransaction]);
        expect(receipts.map((receipt) => receipt.status)).toEqual(receipts.map(() => '0x1'));
        // Nothing moved: the swap gives what was simulated, and what was quoted.
        expect(body.simulation.outAmount).toBe(quote.outAmount);
        const amounts = { quoted: BigInt(quote.outAmount), simulated: BigInt(body.simulation.outAmount) };
        promised.set(receipts.at(-1)!.transactionHash, amounts);
      }
      const { body } = await untilAnswer('every receipt', async () => {
        const answer = await world.get<EvmReceiptsAnswer>(`/evm/receipts?wallet=${wallet.address}&limit=200`);
        return answer.body.summary.executed === SWAPS ? answer : null;
      });
      expect(body.data.map(({ executed }) => executed!.tx).sort()).toEqual([...promised.keys()].sort());
      for (const { executed, quotedOut } of body.data) {
        expect(quotedOut).toBe(promised.get(executed!.tx)!.quoted.toString());
        expect(executed).toMatchObject({ outAmount: quotedOut, differenceBps: 0 });
      }
      expect(body.summary.medianDifferenceBps).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    'a quote whose block was replaced builds while the head meets its floor, and is quote_moved otherwise',
    async () => {
      const { local } = world.chain('eth');
      const seen = { built: 0, moved: 0 };
      const usdc = local.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
      for (let round = 0; round < ROUNDS || Math.min(seen.built, seen.moved) === 0; round++) {
        await world.caughtUp('eth');
        const quote = (await quoteOf(NATIVE, usdc, '&slippageBps=0'))!;
        await local.reorg(1 + random.int(3));
        await local.mine();
        const { hash } = await world.caughtUp('eth');
        expect(quote.blockHash).not.toBe(`0x${hash}`);
        const { status, body } = await build(quote);
        // What the very route gives at the new head decides, to the base unit.
        const now = (await build(quote, { slippageBps: 10_000 })).body.simulation.outAmount;
        if (BigInt(now) >= BigInt(quote.outAmount)) {
          expect({ status, now, body }).toMatchObject({ status: 200 });
          expect(body.simulation.outAmount).toBe(now);
          seen.built++;
        } else {
          expect({ status, now, body }).toMatchObject({ status: 409, body: { error: 'quote_moved' } });
          seen.moved++;
        }
        if (round > 300) throw new Error(`only one of the two came up: ${JSON.stringify(seen)}`);
      }
    },
    LIMIT_MS,
  );
});
