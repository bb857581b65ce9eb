import { randomUUID } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { ChainToken } from '#libs/devkit/devnet/evm/local-chain.js';
import { SLUGS } from '#libs/devkit/devnet/evm/test/local-world.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { RouteRequest } from '#libs/routing/search/route.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { Refusal } from '../../refusal.js';
import type { PricedQuote } from '../model/evm-quote.js';
import { NATIVE_MINT } from '../native-coin.js';
import type { EvmChainServices } from '../ports.js';
import { UsdValues } from '../prices/usd-values.js';
import { evmPricer } from '../quote/price-quote.js';
import { quoteBody } from '../quote/quote-text.js';
import { BuildChain, minedWell } from './test/build-chain.js';
import { readBook } from './test/chain-book.js';
import { TestBuilder } from './test/open-builder.js';

/** A mined swap: by how much the estimate of its quote is above the gas of its receipt. */
interface Miss {
  readonly part: number;
  readonly what: string;
}

const signal = new AbortController().signal;
/** More than the largest swap puts in. */
const FUNDS_USD = 20_000_000;

/**
 * The estimate of a quote against the receipt of its swap, over quotes as callers make them: both protocols, one to three
 * hops, the coin at either end, amounts from a dollar to what crosses ticks, recipients with and without the token.
 */
describe.each(SLUGS)('gas estimates on %s', (slug) => {
  let local: BuildChain;
  let builder: TestBuilder;

  beforeAll(async () => {
    local = await BuildChain.open(slug);
    builder = new TestBuilder({ chain: local.spec, rpcUrls: [local.chain.rpcUrl], logger: silentLogger });
    const tokens = local.chain.tokens.map((token) => ({
      token: token.address,
      amount: local.units(token, token.address === wrapped() ? FUNDS_USD / 10 : FUNDS_USD),
    }));
    await local.chain.fund(`0x${local.wallet}`, { eth: 10_000n * 10n ** 18n, tokens });
  });

  afterAll(async () => {
    await builder?.close();
    await local?.close();
  });

  const wrapped = () => `0x${local.spec.wrappedNative.token}`;

  /** A quote as the router prices it, at the chain's head; null where there is no route. */
  async function priced(
    inputMint: string,
    outputMint: string,
    amount: bigint,
    maxHops: 1 | 2 | 3,
    protocol: 'v2' | 'v3',
  ) {
    const book = await readBook(local);
    const finder = new RouteFinder(book);
    const services = {
      ...{
        spec: local.spec,
        book,
        routes: { find: (request: RouteRequest) => finder.find(request), largestWithin: () => null },
      },
      venues: { servable: () => new Set([local.venue(protocol).venue]) },
      ...{ usd: new UsdValues(local.spec, () => book), tokens: { size: 0, version: 0, of: () => null } },
    } as unknown as EvmChainServices;
    const chain = { spec: local.spec, services, absence: '' };
    const mints = { inputMint: inputMint.slice(2), outputMint: outputMint.slice(2) };
    try {
      return evmPricer.price(services, { chain, ...mints, amount, slippageBps: 1_000, maxHops, venues: null }).quote;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** Builds the quote, mines it, and compares. */
  async function mined(quote: PricedQuote, recipient: Hex | null): Promise<Miss> {
    const issued = { quoteId: randomUUID(), seconds: 0, expiresAt: Date.now() + 30_000, priced: quote };
    const request = { wallet: local.wallet, recipient, slippageBps: null, deadlineSeconds: 60 };
    const swap = await builder.build({ ...request, quote: quoteBody(issued) }, signal);
    const receipts = await local.mine([...swap.setupTransactions, swap.swapTransaction]);
    const path = quote.route?.hops.map(({ pool }) => pool.id.slice(0, 6)).join() ?? 'wrap';
    const { gasUsed } = receipts.at(-1)!;
    const figures = `${quote.gasEstimate} for ${BigInt(gasUsed)}${recipient === null ? '' : ', a new holder'}`;
    const what = `${quote.route?.venue} ${quote.inputMint.slice(0, 4)} ${path} ${quote.outputMint.slice(0, 4)}: ${figures}`;
    expect([what, minedWell(receipts)]).toEqual([what, true]);
    return { part: Number(quote.gasEstimate) / Number(gasUsed) - 1, what };
  }

  async function swaps(random: SeededRandom, count: number): Promise<Miss[]> {
    const tokens = local.chain.tokens.filter(({ gated }) => gated !== true);
    const found: Miss[] = [];
    for (let n = 0; found.length < count && n < 20 * count; n++) {
      if (n % 2 === 0) await local.chain.mine();
      const ends: [ChainToken, ChainToken] = [random.pick(tokens), random.pick(tokens)];
      const protocol = n % 3 === 0 ? 'v2' : 'v3';
      if (ends[0] === ends[1] || (protocol === 'v3' && ends.some(({ taxed }) => taxed))) continue;
      const [from, to] = ends.map(({ address }) =>
        address === wrapped() && random.chance(0.5) ? `0x${NATIVE_MINT}` : address,
      ) as [string, string];
      const amount = local.units(ends[0], random.spread(1, 300_000));
      const quote = await priced(from, to, amount, random.pick([1, 2, 3] as const), protocol);
      if (quote === null) continue;
      const isNew = to !== `0x${NATIVE_MINT}` && random.chance(0.4);
      found.push(await mined(quote, isNew ? random.hex(20) : null));
    }
    return found;
  }

  it('are within 15% of the receipts in the median, and within 40% at worst', async () => {
    await withSeed(`gas of ${slug}`, async (random) => {
      const misses = await swaps(random, scaled(100, 40));
      for (const [from, to] of [
        [`0x${NATIVE_MINT}`, wrapped()],
        [wrapped(), `0x${NATIVE_MINT}`],
      ] as const) {
        misses.push(await mined((await priced(from, to, 10n ** 18n, 1, 'v2'))!, null));
      }
      misses.sort((a, b) => Math.abs(a.part) - Math.abs(b.part));
      const [median, worst] = [misses[misses.length >> 1]!, misses.at(-1)!];
      expect(misses.length).toBeGreaterThan(30);
      expect([Math.abs(median.part) <= 0.15, median.part, median.what]).toEqual([true, median.part, median.what]);
      expect([Math.abs(worst.part) <= 0.4, worst.part, worst.what]).toEqual([true, worst.part, worst.what]);
    });
  }, 300_000);
});
