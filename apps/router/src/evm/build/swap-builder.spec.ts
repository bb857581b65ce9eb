import { SLUGS } from '#libs/devkit/devnet/evm/test/local-world.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { silentLogger } from '#libs/platform/logger.js';
import { BuildChain, type Hop, minedWell } from './test/build-chain.js';
import { type QuotedRequest, TestBuilder } from './test/open-builder.js';
import { lacking, RpcProxy } from './test/rpc-proxy.js';

const signal = new AbortController().signal;

describe.each(SLUGS)('swaps built for %s', (slug) => {
  let local: BuildChain;
  let proxy: RpcProxy;
  let builder: TestBuilder;
  /** The same node without eth_simulateV1. */
  let plainBuilder: TestBuilder;

  beforeAll(async () => {
    local = await BuildChain.open(slug);
    proxy = await RpcProxy.open(local.chain.rpcUrl);
    proxy.interfere = lacking('eth_simulateV1');
    const rest = { chain: local.spec, logger: silentLogger };
    builder = new TestBuilder({ ...rest, rpcUrls: [local.chain.rpcUrl] });
    plainBuilder = new TestBuilder({ ...rest, rpcUrls: [proxy.url] });
  });

  afterAll(async () => {
    await builder?.close();
    await plainBuilder?.close();
    await proxy?.close();
    await local?.close();
  });

  const request = (quote: QuotedRequest['quote'], rest: Partial<QuotedRequest> = {}): QuotedRequest => ({
    quote,
    wallet: local.wallet,
    recipient: null,
    slippageBps: null,
    deadlineSeconds: 300,
    ...rest,
  });

  it('are mined as simulated, whatever the route', async () => {
    const seen = new Set<string>();
    await withSeed(`swaps of ${slug}`, async (random) => {
      for (let n = 0; n < scaled(200); n++) {
        const { kind, quote } = await randomQuote(local, random, n);
        seen.add(kind);
        const answers = [
          await builder.build(request(quote), signal),
          await plainBuilder.build(request(quote), signal),
        ] as const;
        expect(answers[1].simulation.outAmount).toBe(answers[0].simulation.outAmount);
        const answer = answers[random.below(2)]!;
        const { received, receipts } = await local.execute(answer);
        const what = `${kind} ${JSON.stringify(quote)}`;
        expect([what, minedWell(receipts)]).toEqual([what, true]);
        expect([what, received.toString()]).toEqual([what, answer.simulation.outAmount]);
        expect(received >= BigInt(answer.quoteResponse.otherAmountThreshold)).toBe(true);
      }
    });
    expect(builder.simulation()).toBe('eth_simulateV1');
    expect(plainBuilder.simulation()).toBe('eth_call');
    expect(seen.size).toBeGreaterThan(8);
  }, 600_000);
});

/** A route of one to three pools of one venue, a wrap or an unwrap; the first ones go through every kind there is. */
async function randomQuote(local: BuildChain, random: SeededRandom, n: number) {
  const kind = n % 20 === 18 ? 'wrap' : n % 20 === 19 ? 'unwrap' : 'swap';
  if (kind !== 'swap') {
    const amount = BigInt(1 + random.below(1_000_000)) * 10n ** 12n;
    return { kind, quote: await local.wrapQuote(kind, amount) };
  }
  const protocol = n % 2 === 0 ? 'v2' : 'v3';
  const length = 1 + (Math.floor(n / 2) % 3);
  const taxed = protocol === 'v2' && n % 4 === 0;
  for (;;) {
    const hops = randomHops(local, random, protocol, length);
    if (hops === null) continue;
    const tokens = [hops[0]!.tokenIn, ...hops.map(({ tokenOut }) => tokenOut)].map((token) => local.tokenAt(token));
    if (tokens.some(({ gated }) => gated) || tokens.some((token) => token.taxed) !== taxed) continue;
    const wrapped = `0x${local.spec.wrappedNative.token}`;
    const nativeIn = tokens[0]!.address === wrapped && random.below(4) > 0;
    const nativeOut = tokens.at(-1)!.address === wrapped && random.below(4) > 0;
    const slippageBps = taxed ? 1_500 : [0, 50, 300][random.below(3)]!;
    const amount = local.units(tokens[0]!, 1 + random.below(200)) + BigInt(random.below(1000));
    try {
      const quote = await local.quote(hops, amount, { slippageBps, nativeIn, nativeOut });
      // A tax on a handful of units leaves nothing to swap.
      if (taxed && quote.routePlan.some(({ swapInfo }) => swapInfo.outAmount.length < 4)) continue;
      return { kind: `${protocol} ${length} ${taxed} ${nativeIn} ${nativeOut}`, quote };
    } catch {
      // Nothing comes out of so little; another one.
    }
  }
}

function randomHops(local: BuildChain, random: SeededRandom, protocol: 'v2' | 'v3', length: number): Hop[] | null {
  const pools = local.chain.pools.filter(({ version }) => version === protocol);
  const first = pools[random.below(pools.length)]!;
  let token = random.below(2) === 0 ? first.token0 : first.token1;
  const visited = [token];
  const hops: Hop[] = [];
  while (hops.length < length) {
    const ways = pools.filter(
      ({ token0, token1 }) => [token0, token1].includes(token) && !visited.includes(token0 === token ? token1 : token0),
    );
    if (ways.length === 0) return null;
    const pool = ways[random.below(ways.length)]!;
    const tokenOut = pool.token0 === token ? pool.token1 : pool.token0;
    hops.push({ pool, tokenIn: token, tokenOut });
    visited.push(tokenOut);
    token = tokenOut;
  }
  return hops;
}
