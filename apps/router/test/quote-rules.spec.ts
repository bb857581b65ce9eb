import { COIN, type Reply, RouterHarness, slugs } from './router-harness.js';

/** Every rule of a quote's parameters, in a query and in a body. */
describe('parameters of a quote', () => {
  let harness: RouterHarness;
  beforeAll(async () => {
    harness = await RouterHarness.start();
  });
  afterAll(() => harness.close());

  type Parameters = Record<string, unknown>;
  /** In both forms, unless a value is not text: then a body is the only way. */
  const ask = async (changes: Parameters, absent: readonly string[] = []): Promise<Reply[]> => {
    const parameters: Parameters = { ...harness.usual(), ...changes };
    for (const name of absent) delete parameters[name];
    const posted = await harness.post('/evm/quote', parameters);
    if (Object.values(parameters).some((value) => typeof value !== 'string')) return [posted];
    return [await harness.get(`/evm/quote?${new URLSearchParams(parameters as Record<string, string>)}`), posted];
  };
  const refused = async (error: string, names: string, changes: Parameters, absent?: readonly string[]) => {
    for (const answer of await ask(changes, absent)) {
      const status = error === 'no_route' ? 404 : 400;
      expect({ changes, status: answer.status, error: answer.body.error }).toEqual({ changes, status, error });
      expect(Object.keys(answer.body)).toEqual(['error', 'reason']);
      expect(answer.body.reason).toContain(names);
    }
  };
  const accepted = async (changes: Parameters, expected: object = {}, absent?: readonly string[]) => {
    for (const answer of await ask(changes, absent)) {
      expect({ changes, status: answer.status, reason: answer.body.reason }).toEqual({ changes, status: 200 });
      expect(answer.body).toMatchObject(expected);
    }
  };
  const wrapped = (slug: (typeof slugs)[number]) => `0x${harness.desk(slug).spec.wrappedNative.token}`;
  const labels = (body: { routePlan: { swapInfo: { label: string } }[] }) => [
    ...new Set(body.routePlan.map((step) => step.swapInfo.label)),
  ];

  describe('chain', () => {
    it.each([
      ['eth', 'eth', 1],
      ['ETH', 'eth', 1],
      ['ethereum', 'eth', 1],
      ['Ethereum', 'eth', 1],
      ['1', 'eth', 1],
      [1, 'eth', 1],
      ['bsc', 'bsc', 56],
      ['bnb', 'bsc', 56],
      ['BNB', 'bsc', 56],
      ['56', 'bsc', 56],
      [56, 'bsc', 56],
      ['base', 'base', 8453],
      ['8453', 'base', 8453],
      [8453, 'base', 8453],
      ['chaind', 'chaind', 4663],
      ['ChainD', 'chaind', 4663],
      ['4663', 'chaind', 4663],
      [4663, 'chaind', 4663],
    ])('%j is %s', async (chain, slug, chainId) => {
      await accepted({ chain }, { chain: slug, chainId });
      await accepted({ chainId: chain }, { chain: slug, chainId }, ['chain']);
      await accepted({ chain, chainId }, { chain: slug, chainId });
    });

    it.each(['sol', 'solana', 'SOL', '101', 101])('%j is none of the four', async (chain) => {
      await refused('bad_request', 'eth, bsc, base, chaind', { chain });
      await refused('bad_request', 'eth, bsc, base, chaind', { chainId: chain }, ['chain']);
    });

    it.each(['', 'x', '2', 2, ' eth', '01', '1.0', '__proto__', 'constructor', true, [], {}, ['eth']])(
      '%j is no chain',
      async (chain) => {
        await refused('bad_request', 'chain must be one of eth, bsc, base, chaind', { chain });
      },
    );

    it('is needed, and two names of it must agree', async () => {
      await refused('bad_request', 'chain is required', {}, ['chain']);
      await refused('bad_request', 'chain is required', { chain: null });
      await refused('bad_request', 'chain and chainId must name the same chain', { chain: 'eth', chainId: '56' });
      await refused('bad_request', 'chainId must be one of', { chain: 'eth', chainId: 'x' });
    });

    it('as a number must be written as a whole one', async () => {
      for (const text of ['1.0', '1e0', '5.6e1', '-1']) {
        const body = JSON.stringify({ ...harness.usual(), chain: 'CHAIN' }).replace('"CHAIN"', text);
        expect((await harness.post('/evm/quote', body)).status).toBe(400);
      }
    });
  });

  describe.each(['inputMint', 'outputMint'])('%s', (name) => {
    const other = name === 'inputMint' ? 'outputMint' : 'inputMint';

    it('is an address in any case', async () => {
      const lower = `0x${harness.b}`;
      const mixed = `0x${[...harness.b].map((c, i) => (i % 3 ? c.toUpperCase() : c)).join('')}`;
      for (const spelling of [lower, mixed, `0x${harness.b.toUpperCase()}`, `0X${harness.b.toUpperCase()}`]) {
        await accepted({ [name]: spelling, [other]: `0x${harness.a}` }, { [name]: lower });
      }
    });

    it.each(['native', 'NATIVE', 'Native', COIN, `0x${'E'.repeat(40)}`, `0x${'eE'.repeat(20)}`])(
      '%s is the coin',
      async (spelling) => {
        await accepted({ [name]: spelling, [other]: `0x${harness.a}` }, { [name]: COIN });
      },
    );

    it.each([
      '',
      'x',
      '0x',
      `0x${'a'.repeat(39)}`,
      `0x${'a'.repeat(41)}`,
      'a'.repeat(40),
      `0x${'g'.repeat(40)}`,
      ' native',
      7,
      true,
      {},
      [],
    ])('%j is none', async (spelling) => {
      await refused('bad_request', `${name} must be a 0x address`, { [name]: spelling, [other]: `0x${harness.a}` });
    });

    it('is needed, and not the zero address', async () => {
      await refused('bad_request', `${name} is required`, {}, [name]);
      const zero = { [name]: `0x${'0'.repeat(40)}`, [other]: `0x${harness.a}` };
      await refused('bad_request', `${name} must not be the zero address`, zero);
    });
  });

  it('refuses one mint for another of itself', async () => {
    const a = `0x${harness.a}`;
    const same: [string, string][] = [
      [a, a],
      [a, `0x${harness.a.toUpperCase()}`],
      ['native', 'native'],
      ['native', COIN],
      [`0x${'E'.repeat(40)}`, 'NATIVE'],
    ];
    for (const [inputMint, outputMint] of same) {
      await refused('bad_request', 'outputMint must be another token', { inputMint, outputMint });
    }
  });

  it('knows no other names of the mints', async () => {
    const { inputMint: tokenIn, outputMint: tokenOut } = harness.usual();
    await refused('bad_request', 'inputMint is required', { tokenIn, tokenOut }, ['inputMint', 'outputMint']);
  });

  it('has no route for tokens without pools', async () => {
    await refused('no_route', 'no pools', { outputMint: `0x${harness.lonely}` });
    await refused('no_route', 'no pools', { inputMint: `0x${harness.lonely}`, outputMint: `0x${harness.a}` });
  });

  describe('amount', () => {
    it.each([
      ['1000', '1000'],
      ['0001000', '1000'],
      [1000, '1000'],
    ])('%j is %s', async (amount, inAmount) => {
      await accepted({ amount, inputMint: `0x${harness.a}`, outputMint: `0x${harness.b}` }, { inAmount });
    });

    it.each(['0', '000', 0])('%j is zero', (amount) => refused('zero_amount', 'amount', { amount }));

    it.each(['', '-1', '+1', '1.5', '1e3', '0x1', ' 1', '1 ', '1,000', 'x', '١', true, {}, [], ['1'], -1, 1.5])(
      '%j is none',
      (amount) => refused('bad_request', 'amount must be decimal digits', { amount }),
    );

    it('is needed', async () => {
      await refused('bad_request', 'amount is required', {}, ['amount']);
      await refused('bad_request', 'amount is required', { amount: null });
    });

    it('is a uint256', async () => {
      const wrap = { outputMint: wrapped('eth') };
      const most = String(2n ** 256n - 1n);
      await accepted({ ...wrap, amount: most }, { inAmount: most, outAmount: most });
      await accepted({ ...wrap, amount: `000${most}` }, { inAmount: most });
      for (const amount of [String(2n ** 256n), '9'.repeat(79), '9'.repeat(5_000)]) {
        await refused('bad_request', 'amount must be at most 2^256 - 1', { ...wrap, amount });
      }
    });

    const numbers = (text: string) =>
      harness.post(
        '/evm/quote',
        JSON.stringify({ ...harness.usual(), outputMint: wrapped('eth'), amount: 'AMOUNT' }).replace('"AMOUNT"', text),
      );

    it.each(['1', '9007199254740991', '9007199254740993', '18446744073709551615'])(
      'the JSON number %s is read exactly',
      async (text) => {
        const answer = await numbers(text);
        expect([answer.status, answer.body.inAmount]).toEqual([200, text]);
      },
    );

    it.each(['18446744073709551616', '99999999999999999999', '100000000000000000000', '9'.repeat(400)])(
      'the JSON number %s is too large',
      async (text) => {
        const answer = await numbers(text);
        expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
        expect(answer.body.reason).toContain('18446744073709551615');
      },
    );

    it.each(['1e3', '1.0', '1E0', '10.5', '-1', '-0', '0.0'])('the JSON number %s is no whole one', async (text) => {
      const answer = await numbers(text);
      expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
    });
  });

  describe('slippageBps', () => {
    it.each([
      ['0', 0],
      ['50', 50],
      ['10000', 10_000],
      [1, 1],
      ['0050', 50],
    ])('%j is %d', (slippageBps, read) => accepted({ slippageBps }, { slippageBps: read }));

    it('is 50 when absent', async () => {
      await accepted({}, { slippageBps: 50 });
      await accepted({ slippageBps: null }, { slippageBps: 50 });
    });

    it.each(['10001', '-1', '1.5', 'x', '', '1e2', 10_001, -1, 1.5, true, {}, '9'.repeat(500)])(
      '%j is none',
      (slippageBps) => refused('bad_request', 'slippageBps must be a whole number from 0 to 10000', { slippageBps }),
    );
  });

  describe('swapMode', () => {
    it.each(['ExactIn', 'exactIn'])('%s is ExactIn', (swapMode) => accepted({ swapMode }, { swapMode: 'ExactIn' }));
    it.each(['ExactOut', 'exactOut'])('%s is not built', (swapMode) =>
      refused('unsupported', 'swapMode', { swapMode }),
    );
    it.each(['', 'x', 'EXACTIN', 1, true])('%j is none', (swapMode) =>
      refused('bad_request', 'swapMode', { swapMode }),
    );
  });

  describe('hops', () => {
    // On the pair protocol the coin leads to `c` over a and b: two hops lead to b, three to c.
    const reached = async (changes: Parameters): Promise<number> => {
      let longest = 0;
      for (const [hops, outputMint] of [harness.a, harness.b, harness.c].entries()) {
        const [answer] = await ask({ dexes: 'Uniswap V2', outputMint: `0x${outputMint}`, ...changes });
        if (answer!.status === 200) longest = hops + 1;
        else expect(answer!.body.error).toBe('no_route');
      }
      return longest;
    };
    it.each([
      [{}, 2],
      [{ maxHops: '0' }, 1],
      [{ maxHops: '1' }, 1],
      [{ maxHops: 2 }, 2],
      [{ maxHops: '3' }, 3],
      [{ maxHops: '4' }, 3],
      [{ maxHops: '9'.repeat(400) }, 3],
      [{ onlyDirectRoutes: 'true' }, 1],
      [{ onlyDirectRoutes: true, maxHops: '3' }, 1],
      [{ onlyDirectRoutes: '1', maxHops: '0' }, 1],
      [{ onlyDirectRoutes: 'false', maxHops: '3' }, 3],
      [{ onlyDirectRoutes: false }, 2],
    ])('%j allows %d', async (changes, hops) => {
      expect(await reached(changes)).toBe(hops);
    });

    it.each(['-1', 'x', '1.5', '', -1, 1.5, true, {}])('maxHops %j is none', (maxHops) =>
      refused('bad_request', 'maxHops must be', { maxHops }),
    );
    it('maxHops is checked beside onlyDirectRoutes too', () =>
      refused('bad_request', 'maxHops must be', { maxHops: 'x', onlyDirectRoutes: 'true' }));
    it.each(['yes', '', '2', 'TRUE', 2, {}, []])('onlyDirectRoutes %j is none', (onlyDirectRoutes) =>
      refused('bad_request', 'onlyDirectRoutes must be true or false', { onlyDirectRoutes }),
    );
  });

  describe('venues', () => {
    const used = async (changes: Parameters) => {
      const found = (await ask(changes)).map((answer) =>
        answer.status === 200 ? labels(answer.body) : answer.body.error,
      );
      for (const one of found) expect(one).toEqual(found[0]);
      return found[0];
    };

    it.each([
      ...[
        'Uniswap V2',
        'uniswap-v2',
        'UNISWAP_V2',
        'uniswapv2',
        'eth-uniswap-v2',
        'ETH.Uniswap.V2',
        'DexA V2',
        'dexav2',
      ],
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
      await refused('no_route', 'excludeDexes', { excludeDexes, outputMint: wrapped('eth') });
    });
    it('excluding what was allowed is no_route', () =>
      refused('no_route', 'excludeDexes', { dexes: 'Uniswap V2', excludeDexes: 'uniswap-v2' }));
    it('unknown names are checked first', () =>
      refused('unknown_dex', 'dexes', { dexes: 'foo', excludeDexes: 'uniswap' }));

    it('that are not verified are not quoted', async () => {
      const desk = harness.desk('eth');
      desk.verified = (venue) => venue === 'uniswap-v2';
      try {
        expect(await used({})).toEqual(['Uniswap V2']);
        await refused('no_route', 'Uniswap V3', { dexes: 'Uniswap V3' });
      } finally {
        desk.verified = () => true;
      }
    });
  });

  describe.each(['platformFeeBps', 'feeBps'])('%s', (name) => {
    it.each(['0', '000', 0])('%j is nothing', (fee) => accepted({ [name]: fee }));
    it.each(['1', 1, '10000', '9'.repeat(400)])('%j is unsupported', (fee) =>
      refused('unsupported', name, { [name]: fee }),
    );
    it.each(['-1', 'x', '0.5', '', true, {}])('%j is none', (fee) => refused('bad_request', name, { [name]: fee }));
  });

  it('ignores what it does not know', async () => {
    await accepted({ foo: 'bar', tokenIn: 'x', userPublicKey: 'not an address', restrictIntermediateTokens: 'x' });
    await accepted({ foo: { deep: [1, { x: null }] }, __proto__: 'x', constructor: 'y' });
  });

  it('takes the first of a repeated parameter', async () => {
    const query = new URLSearchParams(harness.usual());
    const { body } = await harness.get(
      `/evm/quote?${query}&amount=5&chain=bsc&slippageBps=7&slippageBps=x&maxHops=1&maxHops=y`,
    );
    expect(body).toMatchObject({ inAmount: '1000000000000000000', chain: 'eth', slippageBps: 7 });
    const refusal = await harness.get(`/evm/quote?amount=x&${query}`);
    expect([refusal.status, refusal.body.error]).toEqual([400, 'bad_request']);
  });
});
