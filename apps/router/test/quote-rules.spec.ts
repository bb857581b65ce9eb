import { type Parameters, quoteAsker } from './quote-asker.js';
import { COIN, RouterHarness, slugs } from './router-harness.js';

/** Every rule of a quote's parameters but those of venues, in a query and in a body. */
describe('parameters of a quote', () => {
  let harness: RouterHarness;
  beforeAll(async () => {
    harness = await RouterHarness.start();
  });
  afterAll(() => harness.close());

  const { ask, refused, accepted } = quoteAsker(() => harness);
  const wrapped = (slug: (typeof slugs)[number]) => `0x${harness.chain(slug).spec.wrappedNative.token}`;

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

    it.each(['sol', 'solana', 'SOL', '101', 101])('%j is no EVM chain', async (chain) => {
      await refused('bad_request', slugs.join(', '), { chain });
      await refused('bad_request', slugs.join(', '), { chainId: chain }, ['chain']);
    });

    it.each(['', 'x', '2', 2, ' eth', '01', '1.0', '__proto__', 'constructor', true, [], {}, ['eth']])(
      '%j is no chain',
      async (chain) => {
        await refused('bad_request', `chain must be one of ${slugs.join(', ')}`, { chain });
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
