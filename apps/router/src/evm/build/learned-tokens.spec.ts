import { describeBuilds, OTHER } from './test/build-bench.js';

/** What a build finds out about the tokens of its path, for the quotes that come after it. */
describeBuilds('what a build learns of tokens', (bench) => {
  const id = (symbol: string): string => bench.local.token(symbol).address.slice(2);
  const found = () =>
    Object.fromEntries(Object.entries(bench.builder.tokens.status()).map(([token, { finding }]) => [token, finding]));
  const usd = (symbol: string, dollars: number) => bench.usd(symbol, dollars);
  beforeEach(() => bench.builder.tokens.clear(Object.keys(bench.builder.tokens.status())));

  it.each(['v2', 'v3'] as const)('a tax, on %s, in either direction', async (protocol) => {
    for (const [from, to] of [
      ['TOLL', 'WETH'],
      ['WETH', 'TOLL'],
    ] as const) {
      bench.builder.tokens.clear([id('TOLL')]);
      const hops = bench.local.hops(protocol, from, to);
      const quote = await bench.local.quote(hops, usd(from, 20), { slippageBps: 2_000 });
      if (protocol === 'v2') await bench.build(quote);
      else expect((await bench.problem(bench.build(quote)))[1]).toBe('fee_on_transfer');
      expect(found()).toEqual({ [id('TOLL')]: 'taxed' });
      const { number, time } = await head();
      expect(bench.builder.tokens.status()[id('TOLL')]).toEqual({
        finding: 'taxed',
        height: number,
        time: time * 1_000,
      });
    }
  });

  it('that no holder can move a token', async () => {
    const quote = await bench.local.quote(bench.local.hops('v2', 'SLUC', 'WETH'), usd('SLUC', 20));
    expect((await bench.problem(bench.build(quote)))[1]).toBe('token_not_transferable');
    expect(found()).toEqual({ [id('SLUC')]: 'not_transferable' });
  });

  it('nothing from a token that bars only this wallet', async () => {
    const quote = await bench.local.quote(bench.local.hops('v2', 'HRBR', 'WETH'), usd('HRBR', 20));
    await barRecipient(OTHER);
    const buy = await bench.local.quote(bench.local.hops('v2', 'WETH', 'HRBR'), 10n ** 16n, { nativeIn: true });
    expect((await bench.problem(bench.build(buy, { recipient: OTHER })))[1]).toBe('token_not_transferable');
    expect(found()).toEqual({});
    await bench.build(quote);
    expect(found()).toEqual({});
  });

  it('that a token is sound, once all of it arrives', async () => {
    bench.builder.tokens.note(id('HRBR'), 'taxed', { height: 1, time: Date.now() });
    await bench.build(await bench.local.quote(bench.local.hops('v2', 'HRBR', 'WETH'), usd('HRBR', 20)));
    expect(found()).toEqual({});
  });

  async function head(): Promise<{ number: number; time: number }> {
    const block = await bench.local.chain.rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    return { number: Number(block.number), time: Number(block.timestamp) };
  }

  /** In place of the token's code: transfers to one account revert, everything else goes to the old code. */
  async function barRecipient(account: string): Promise<void> {
    const { rpc } = bench.local.chain;
    const token = `0x${id('HRBR')}`;
    const old = '0c0df'.padStart(40, '0');
    await rpc.call('anvil_setCode', [`0x${old}`, await rpc.call<string>('eth_getCode', [token, 'latest'])]);
    // PUSH20 account, CALLDATALOAD(4), EQ, JUMPI 0x53
    const choose = `73${account}60043514605357`;
    // CALLDATACOPY, DELEGATECALL, RETURNDATACOPY, JUMPI 0x4d; REVERT; 0x4d: JUMPDEST, RETURN
    const pass = `3660006000376000600036600073${old}5af43d600060003e604d573d6000fd5b3d6000f3`;
    const code = `${choose}${pass}`;
    expect([code.indexOf('5b3d6000f3') / 2, code.length / 2]).toEqual([0x4d, 0x52]);
    // 0x52: STOP, 0x53: JUMPDEST, REVERT(0, 0)
    await rpc.call('anvil_setCode', [token, `0x${code}005b60006000fd`]);
  }
});
