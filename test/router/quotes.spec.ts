import { decodeAbiParameters, encodeFunctionData, encodePacked, type Hex, parseAbi } from 'viem';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { LocalSlug } from '#libs/devkit/devnet/evm/local-chain.js';
import { SLUGS } from '#libs/devkit/devnet/evm/test/local-world.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { RouterWorld } from './router-world.js';

/**
 * Random quotes through the router's HTTP interface equal the chain's own quoter (V3) or router view (V2) at the very block that
 * the quote names, to the base unit: both protocols, one to three hops, tiny to huge amounts, many blocks, reorgs between.
 */
const seed = testSeed();
const QUOTES = Math.round(2_000 * scale);
const BLOCKS = Math.max(6, Math.round(60 * scale));
const LIMIT_MS = 900_000;

const NATIVE = `0x${'e'.repeat(40)}`;
const QUOTER = parseAbi(['function quoteExactInput(bytes path, uint256 amountIn)']);
const V2_ROUTER = parseAbi(['function getAmountsOut(uint256 amountIn, address[] path)']);

describe.each(SLUGS)(`quotes on %s equal the chain's own (seed ${seed})`, (slug) => {
  let world: RouterWorld;

  beforeAll(async () => {
    world = await RouterWorld.open([slug], { seed, historyBlocks: 40 });
  }, LIMIT_MS);

  afterAll(() => world?.close(), LIMIT_MS);

  test(
    `${QUOTES} quotes over ${BLOCKS} blocks`,
    async () => {
      const random = new SeededRandom(seed);
      const { local, rpc } = world.chain(slug);
      const tokens = [...local.tokens.map(({ address }) => address), NATIVE];
      const seen = { v2: 0, v3: 0, hops: [0, 0, 0, 0], tooLarge: 0, none: 0, wraps: 0 };
      // Of the rarer kinds there may be none in so few blocks: then there are more.
      const least = () => Math.min(seen.v2, seen.v3, seen.tooLarge, seen.hops[1]!, seen.hops[2]!, seen.hops[3]!);
      for (let block = 0; block < BLOCKS || (block < 20 * BLOCKS && least() === 0); block++) {
        if (block % 7 === 6) await local.reorg(1 + random.int(3));
        else await local.mine();
        const head = await world.caughtUp(slug);
        const asked: { quote: EvmQuote; call: { to: string; data: Hex } }[] = [];
        while (asked.length < Math.ceil(QUOTES / BLOCKS)) {
          const [inputMint, outputMint] = random.shuffle([...tokens]);
          const decimals = local.tokens.find(({ address }) => address === inputMint)?.decimals ?? 18;
          const amount = randomAmount(random, decimals);
          const venues = random.pick(['', '', '&dexes=v2', '&dexes=v3']);
          const dexes = venues === '' ? '' : `&dexes=${venueOf(world, slug, venues.slice(-2) as 'v2' | 'v3')}`;
          const path = `/evm/quote?chain=${slug}&inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&maxHops=${1 + random.int(3)}${dexes}`;
          const { status, body } = await world.get<EvmQuote & { error?: string }>(path);
          if (status === 404 && body.error === 'no_route') seen.none++;
          else if (status === 422 && body.error === 'low_liquidity') seen.tooLarge++;
          else {
            expect({ path, status, body }).toMatchObject({ status: 200 });
            expect(body.blockHash).toBe(`0x${head.hash}`);
            expect(body.contextSlot).toBe(head.height);
            if (body.routePlan.length === 0) {
              seen.wraps++;
              continue;
            }
            asked.push({ quote: body, call: ownQuote(world, slug, body) });
            seen.hops[body.routePlan.length]!++;
          }
        }
        const answers = (await rpc.batch(
          asked.map(({ call }) => ({ method: 'eth_call', params: [call, { blockHash: `0x${head.hash}` }] })),
        )) as Hex[];
        for (const [i, { quote }] of asked.entries()) {
          const v3 = quote.routePlan[0]!.venueId.endsWith('v3');
          if (v3) seen.v3++;
          else seen.v2++;
          expect({ quote, out: ownOutput(answers[i]!, v3).toString() }).toMatchObject({ out: quote.outAmount });
        }
      }
      // All kinds of answers came up: otherwise this compared less than it says.
      expect({ seen, least: least() > 0 }).toEqual({ seen, least: true });
      expect(seen.v2 + seen.v3).toBeGreaterThanOrEqual(QUOTES);
    },
    LIMIT_MS,
  );
});

/** From one base unit to more than any pool holds; mostly what people trade. */
function randomAmount(random: SeededRandom, decimals: number): bigint {
  const kind = random.int(10);
  if (kind === 0) return BigInt(1 + random.int(1_000));
  // A pair's reserves end at 2^112, about 5e33.
  if (kind === 1) return 10n ** BigInt(34 + random.int(6));
  const exponent = kind === 2 ? decimals + 8 + random.int(8) : decimals - 3 + random.int(7);
  return BigInt(1 + random.int(999_999)) * 10n ** BigInt(Math.max(0, exponent - 5));
}

function venueOf(world: RouterWorld, slug: LocalSlug, protocol: 'v2' | 'v3'): string {
  return world.services(slug).spec.venues.find((venue) => venue.protocol === protocol)!.id;
}

/** What the chain itself is asked for the same route. */
function ownQuote(world: RouterWorld, slug: LocalSlug, quote: EvmQuote): { to: string; data: Hex } {
  const { venues } = world.services(slug).spec;
  const { contracts } = venues.find(({ id }) => id === quote.routePlan[0]!.venueId)!;
  const steps = quote.routePlan;
  const mints = [steps[0]!.swapInfo.inputMint, ...steps.map(({ swapInfo }) => swapInfo.outputMint)] as Hex[];
  const amount = BigInt(quote.inAmount);
  if (contracts!.quoter === undefined) {
    const data = encodeFunctionData({ abi: V2_ROUTER, functionName: 'getAmountsOut', args: [amount, mints] });
    return { to: `0x${contracts!.router}`, data };
  }
  const types: string[] = ['address'];
  const values: unknown[] = [mints[0]];
  for (const [i, { fee }] of steps.entries()) {
    types.push('uint24', 'address');
    values.push(fee, mints[i + 1]);
  }
  const path = encodePacked(types as never, values as never);
  const data = encodeFunctionData({ abi: QUOTER, functionName: 'quoteExactInput', args: [path, amount] });
  return { to: `0x${contracts!.quoter.address}`, data };
}

function ownOutput(answer: Hex, v3: boolean): bigint {
  if (v3) return decodeAbiParameters([{ type: 'uint256' }], answer)[0];
  return decodeAbiParameters([{ type: 'uint256[]' }], answer)[0].at(-1)!;
}
