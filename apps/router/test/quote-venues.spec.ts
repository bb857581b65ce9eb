import { labels, type Parameters, quoteAsker } from './quote-asker.js';
import { RouterHarness } from './router-harness.js';

/** How `dexes` and `excludeDexes` are spelled, and which venues they leave. */
describe('venues of a quote', () => {
  let harness: RouterHarness;
  beforeAll(async () => {
    harness = await RouterHarness.start();
  });
  afterAll(() => harness.close());
  const { ask, refused, accepted } = quoteAsker(() => harness);
  const used = async (changes: Parameters) => {
    const found = (await ask(changes)).map((answer) =>
      answer.status === 200 ? labels(answer.body) : answer.body.error,
    );
    for (const one of found) expect(one).toEqual(found[0]);
    return found[0];
  };

  it.each([
    ...['Uniswap V2', 'uniswap-v2', 'UNISWAP_V2', 'uniswapv2', 'eth-uniswap-v2', 'ETH.Uniswap.V2', 'DexA V2', 'dexav2'],
    ...['eth-dexa-v2', ' Uniswap V2 ', 'Uniswap V2,', 'foo,Uniswap V2', 'PancakeSwap V2,uniswap v2'],
  ])('%j is Uniswap V2', async (dexes) => {
    expect(await used({ dexes })).toEqual(['Uniswap V2']);
    expect(await used({ includeDex: dexes })).toEqual(['Uniswap V2']);
  });

  it.each(['PancakeSwap V2', 'pancakeswap_v2', 'bsc-pancakeswap-v2', 'DexB V2', 'bsc-dexb-v2'])(
    '%s is PancakeSwap V2 on bsc, and none on eth',
    async (dexes) => {
      expect(await used({ chain: 'bsc', dexes })).toEqual(['PancakeSwap V2']);
      expect(await used({ dexes })).toBe('unknown_dex');
    },
  );

  it('names both protocols without one', async () => {
    for (const [chain, name] of [
      ['eth', 'uniswap'],
      ['eth', 'DexA'],
      ['base', 'UNI-SWAP'],
      ['bsc', 'pancakeswap'],
      ['bsc', 'dexb'],
    ] as const) {
      const both = new Set<string>();
      for (const excludeDexes of ['v', `${name} v2`, `${name} v3`]) {
        for (const label of (await used({ chain, dexes: name, excludeDexes })) as string[]) both.add(label);
      }
      expect(both.size).toBe(2);
    }
  });

  it('are the union of both names, of repetitions and of lists', async () => {
    const query = new URLSearchParams(harness.usual());
    const get = async (more: string) => (await harness.get(`/evm/quote?${query}&${more}`)).body;
    // The range pool gives more for this amount, so that it shows whether it counts.
    expect(labels(await get('dexes=uniswapv2'))).toEqual(['Uniswap V2']);
    const best = labels(await get(''));
    const parts = [
      'dexes=uniswapv2&includeDex=uniswapv3',
      'dexes=uniswapv2&dexes=uniswapv3',
      'includeDex=uniswapv2,uniswapv3',
    ];
    const candidates = (await get('')).candidates;
    for (const more of parts) {
      const body = await get(more);
      expect([labels(body), body.candidates]).toEqual([best, candidates]);
    }
    for (const list of [['Uniswap V2'], ['Uniswap V2', 'foo'], ['foo,Uniswap V2']]) {
      expect(await used({ dexes: list })).toEqual(['Uniswap V2']);
    }
    expect((await ask({ dexes: ['Uniswap V2'], includeDex: ['Uniswap V3'] }))[0]!.body.candidates).toBe(candidates);
  });

  it.each(['foo', 'foo,bar', 'PancakeSwap V2', 'bsc-pancakeswap-v2', 'v2', 'Uniswap V4', 'sol', '-'])(
    'only %j is unknown_dex',
    (dexes) => refused('unknown_dex', 'dexes', { dexes }),
  );

  it.each([[[7]], [7], [true], [{}], [[['Uniswap V2']]], [[null]]])('%j is no name', (dexes) =>
    refused('bad_request', 'dexes must be', { dexes }),
  );

  it.each(['', ',', ' , '])('%j is no limit', async (dexes) => {
    await accepted({ dexes });
    await accepted({ excludeDexes: dexes });
  });
  it('an empty list is no limit', () => accepted({ dexes: [], excludeDexes: [] }));

  it('are without the excluded', async () => {
    expect(await used({ excludeDexes: 'Uniswap V3' })).toEqual(['Uniswap V2']);
    expect(await used({ excludeDex: 'eth_dexa_v2' })).toEqual(['Uniswap V3']);
    expect(await used({ excludeDexes: ['uniswapv3', 'foo'] })).toEqual(['Uniswap V2']);
    expect(await used({ dexes: 'uniswap', excludeDexes: 'uniswap v2' })).toEqual(['Uniswap V3']);
    await accepted({ excludeDexes: 'foo' });
  });

  it.each(['Uniswap V2,Uniswap V3', 'uniswap', 'dexa'])('excluding %s is no_route', async (excludeDexes) => {
    await refused('no_route', 'excludeDexes', { excludeDexes });
    await refused('no_route', 'excludeDexes', {
      excludeDexes,
      outputMint: `0x${harness.chain('eth').spec.wrappedNative.token}`,
    });
  });
  it('excluding what was allowed is no_route', () =>
    refused('no_route', 'excludeDexes', { dexes: 'Uniswap V2', excludeDexes: 'uniswap-v2' }));
  it('unknown names are checked first', () =>
    refused('unknown_dex', 'dexes', { dexes: 'foo', excludeDexes: 'uniswap' }));

  it('that are not verified are not quoted', async () => {
    const services = harness.chain('eth');
    services.verified = (venue) => venue === 'uniswap-v2';
    try {
      expect(await used({})).toEqual(['Uniswap V2']);
      await refused('no_route', 'Uniswap V3', { dexes: 'Uniswap V3' });
    } finally {
      services.verified = () => true;
    }
  });
});
