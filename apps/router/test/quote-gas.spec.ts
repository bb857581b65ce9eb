import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { RouterHarness } from './router-harness.js';
import { rangePool } from './test-pools.js';

/** What the gas of a quote depends on: its route and its amount, and on nothing that another caller does. */
describe('the gas of a quote', () => {
  let router: RouterHarness;
  beforeAll(async () => {
    router = await RouterHarness.start();
  });
  afterAll(() => router.close());

  const gas = async (changes: Record<string, string> = {}): Promise<number> => {
    const { body } = await router.quote(changes);
    expect(body.reason).toBeUndefined();
    return Number((body as EvmQuote).gasEstimate);
  };

  it('has the same step for each further hop over pairs', async () => {
    const [one, two, three] = [
      await gas({ dexes: 'uniswap v2' }),
      await gas({ dexes: 'uniswap v2', outputMint: `0x${router.b}` }),
      await gas({ dexes: 'uniswap v2', outputMint: `0x${router.c}`, maxHops: '3' }),
    ];
    expect(two - one).toBeGreaterThan(0);
    expect(three - two).toBe(two - one);
  });

  it('is the same for a caller whatever others ask for', async () => {
    const small = { dexes: 'uniswap v3', amount: '1000000000000000000' };
    const before = await gas(small);
    // As far as the pool goes, and beyond.
    await gas({ ...small, amount: '5000000000000000000000' });
    expect((await router.quote({ ...small, amount: `1${'0'.repeat(32)}` })).status).toBe(422);
    expect(await gas(small)).toBe(before);
    expect(await gas({ ...small, amount: '1000000000000000001' })).toBe(before);
  });

  it('grows with the ticks that the price comes through', async () => {
    const { spec } = router.chain('base');
    const { venue } = spec.venues.find(({ protocol }) => protocol === 'v3')!;
    const { token } = spec.wrappedNative;
    router.chain('base').mine([rangePool(venue, 100, 1, token, router.lonely, 10n ** 24n)]);
    const [token0, token1] = [`0x${token}`, `0x${router.lonely}`].sort() as [string, string];
    const up = { chain: 'base', inputMint: token1, outputMint: token0 };
    const down = { chain: 'base', inputMint: token0, outputMint: token1 };
    const large = '3000000000000000000000';
    const [still, within, further] = [
      await gas({ ...up, amount: '1000000' }),
      await gas({ ...up, amount: large }),
      // Downwards the price leaves its word of ticks at once.
      await gas({ ...down, amount: large }),
    ];
    expect(within).toBeGreaterThan(still);
    expect(further).toBeGreaterThan(within);
  });
});
