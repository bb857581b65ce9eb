import { SolanaWallet } from '#apps/router/test/solana-wallet.js';
import { COIN, hex, type SolanaWorld } from '#apps/router/test/solana-world.js';
import { base58 } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { SolReceipt, SolReceiptsAnswer } from '#libs/serve/contract/rest/solana/receipt-body.js';
import { associatedId } from '#programs/client.js';
import { SolanaReceipts } from './solana-receipts.js';

/** The whole way on a local Solana chain: quote, build, sign, send, and the receipt that the router writes of what landed. */
const LIMIT_MS = 180_000;
const PAST_MS = 130_000;
const SLOTS = 300;

describe('receipts of Solana', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;
  let receipts: SolanaReceipts;

  beforeAll(async () => {
    wallet = await SolanaWallet.start({
      receipts: async (market, now) => {
        receipts = await SolanaReceipts.open(market, now);
        return receipts;
      },
    });
    world = wallet.world;
  }, LIMIT_MS);
  afterAll(() => world?.close());

  async function listed(query = ''): Promise<SolReceiptsAnswer> {
    await receipts.caughtUp();
    const { status, body } = await world.get(`/receipts?limit=200${query}`);
    expect(status).toBe(200);
    world.fits('SolReceiptsAnswer', body);
    return body as SolReceiptsAnswer;
  }
  const receiptOf = async ({ quoteId }: { quoteId: string }): Promise<SolReceipt> => {
    const found = (await listed()).data.filter((receipt) => receipt.quoteId === quoteId);
    expect(found).toHaveLength(1);
    return found[0]!;
  };
  async function built(quote: SolQuote, more: object = {}): Promise<string> {
    const { status, body } = await wallet.build('/swap', quote, more);
    expect([status, body.reason]).toEqual([200, undefined]);
    return body.swapTransaction;
  }
  /** Sends and makes a block of it. */
  function send(transaction: string): { tx: string; slot: number } {
    const tx = world.market.chain.send(wallet.signed(transaction));
    return { tx, slot: world.market.slot({ traders: false }).slot };
  }
  const legsOf = ({ routePlan, inputMint }: SolQuote) => {
    const legs: { bps: number; steps: { ammKey: string; label: string }[] }[] = [];
    for (const { swapInfo, bps } of routePlan) {
      if (swapInfo.inputMint === inputMint) legs.push({ bps, steps: [] });
      legs.at(-1)!.steps.push({ ammKey: swapInfo.ammKey, label: swapInfo.label });
    }
    return legs;
  };

  /** Lands as quoted; its receipt says so to the unit. */
  async function landed(parameters: Record<string, string>, more: object = {}): Promise<SolReceipt> {
    const quote: SolQuote = await wallet.quoted(parameters);
    const before = await built(quote, more);
    expect(await receiptOf(quote)).toMatchObject({ state: 'built', executed: null });
    const { tx, slot } = send(before);
    await world.settled();
    const receipt = await receiptOf(quote);
    const { slotsLater, ...executed } = receipt.executed!;
    expect({ ...receipt, executed }).toMatchObject({
      ...{ chain: 'sol', state: 'executed', wallet: wallet.address, recipient: wallet.address },
      ...{ swapMode: quote.swapMode, inputMint: quote.inputMint, outputMint: quote.outputMint },
      ...{ inAmount: quote.inAmount, quotedOut: quote.outAmount, simulatedIn: quote.inAmount },
      ...{ simulatedOut: quote.outAmount, otherAmountThreshold: quote.otherAmountThreshold },
      ...{ platformFeeBps: quote.platformFee?.feeBps ?? null, quoteSlot: quote.contextSlot },
      legs: legsOf(quote),
      executed: {
        ...{ tx, slot, inAmount: quote.inAmount, outAmount: quote.outAmount },
        ...{ differenceBps: 0, versusSimulationBps: 0 },
      },
    });
    expect(slotsLater).toBe(slot - receipt.buildSlot);
    const amounts = receipt.legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    expect(String(amounts)).toBe(quote.swapMode === 'ExactIn' ? quote.inAmount : quote.outAmount);
    return receipt;
  }

  it(
    'say to the unit what landed: one pool, several, split, either side exact, with a platform fee',
    async () => {
      const [usdc, strn] = [world.mint('USDC'), world.mint('STRN')];
      const one = await landed({ inputMint: COIN, outputMint: usdc, amount: '1000000007', maxHops: '1' });
      expect(one).toMatchObject({ dex: 'Tidepool AMM', venueId: 'sol-tidepool-amm', legs: [{ bps: 10_000 }] });
      const curve = wallet.curve();
      await landed({ inputMint: COIN, outputMint: curve, amount: '20000003' });
      const several = await landed({ inputMint: curve, outputMint: strn, amount: '200000001', maxHops: '4' });
      expect(several.legs.flatMap(({ steps }) => steps).length).toBeGreaterThan(1);
      expect(several.dex).toBe('Tidepool Launchpad + Tidepool AMM');
      const split = await landed({ inputMint: COIN, outputMint: usdc, amount: '3000000000000' });
      expect(split.legs.length).toBeGreaterThan(1);
      await landed({ inputMint: usdc, outputMint: COIN, amount: '700000001', swapMode: 'ExactOut' });
      const taker = new SeededKey('who takes the fee');
      world.market.fund(taker.address, { tokens: [usdc, strn].map((mint) => ({ mint, amount: 1n })) });
      await world.settled();
      const fee = (mint: string) => ({ feeAccount: base58(associatedId(taker.id, hex(mint))) });
      const pair = { inputMint: strn, outputMint: usdc, platformFeeBps: '85' };
      await landed({ ...pair, amount: '5000000123' }, fee(usdc));
      await landed({ ...pair, amount: '3000001', swapMode: 'ExactOut' }, fee(strn));
    },
    LIMIT_MS,
  );

  it(
    'of a swap that fails on chain, or is never sent, stay open until no block can hold it, by the clock and by slots',
    async () => {
      const usdc = world.mint('USDC');
      const now = world.clock.ms;
      world.clock.ms = Date.now() - PAST_MS;
      const pair = { inputMint: COIN, outputMint: usdc };
      const quote: SolQuote = await wallet.quoted({ ...pair, amount: '1000000000', slippageBps: '0' });
      const failing = await built(quote);
      const never: SolQuote = await wallet.quoted({ inputMint: usdc, outputMint: COIN, amount: '5000001' });
      await built(never);
      world.clock.ms = now;
      await landed({ ...pair, amount: '100000000000' });
      const { tx } = send(failing);
      expect(world.market.chain.resultOf(tx)).not.toBeNull();
      await world.settled();
      // Both are past their time, and not past their slots.
      for (const each of [quote, never]) {
        const { state, deadline } = await receiptOf(each);
        expect([state, Date.parse(deadline) < Date.now()]).toEqual(['built', true]);
      }
      world.market.chain.skip(SLOTS);
      await world.settled();
      for (const each of [quote, never]) {
        expect(await receiptOf(each)).toMatchObject({ state: 'expired', executed: null });
      }
      const { data, summary } = await listed('&state=expired');
      expect(new Set(data.map(({ quoteId }) => quoteId))).toEqual(new Set([never.quoteId, quote.quoteId]));
      expect(summary).toMatchObject({ count: 2, executed: 0, medianDifferenceBps: null });
    },
    LIMIT_MS,
  );

  it(
    'open again when a fork takes the swap away, and know it when it lands again',
    async () => {
      const quote: SolQuote = await wallet.quoted({
        ...{ inputMint: COIN, outputMint: world.mint('USDC'), amount: '1000000019' },
        slippageBps: '100',
      });
      const transaction = await built(quote);
      const first = send(transaction);
      world.market.slot({ traders: false });
      expect((await receiptOf(quote)).executed).toMatchObject(first);
      world.market.chain.fork(2, { drop: 1 });
      world.market.slot({ traders: false });
      expect(await receiptOf(quote)).toMatchObject({ state: 'built', executed: null });
      const second = send(transaction);
      expect(second.tx).toBe(first.tx);
      expect(second.slot).toBeGreaterThan(first.slot);
      await world.settled();
      expect((await receiptOf(quote)).executed).toMatchObject(second);
    },
    LIMIT_MS,
  );

  it('are made of a quote that came back without its id, and name who is paid', async () => {
    const usdc = world.mint('USDC');
    const friend = new SeededKey('a friend');
    world.market.fund(friend.address, { tokens: [{ mint: usdc, amount: 1n }] });
    await world.settled();
    const { quoteId, ...bare } = await wallet.quoted({ inputMint: COIN, outputMint: usdc, amount: '1000000023' });
    const destinationTokenAccount = base58(associatedId(friend.id, hex(usdc)));
    const { body } = await wallet.build('/swap', bare, { destinationTokenAccount });
    expect(body.quoteResponse.quoteId).not.toBe(quoteId);
    const { tx } = send(body.swapTransaction);
    await world.settled();
    const receipt = await receiptOf(body.quoteResponse);
    expect(receipt).toMatchObject({ state: 'executed', recipient: destinationTokenAccount, executed: { tx } });
    expect(world.problems).toEqual([]);
  });
});
