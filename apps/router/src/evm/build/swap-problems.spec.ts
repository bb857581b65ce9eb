import { decodeFunctionData, type Hex as Prefixed, toFunctionSelector, toHex } from 'viem';
import { ABI, describeBuilds, OTHER } from './test/build-bench.js';
import { type BuildChain, minedWell } from './test/build-chain.js';

describeBuilds('what is refused', (bench) => {
  describe('funds', () => {
    const poor = 'ab'.repeat(20);

    it('that lack are named with what there is and what is needed', async () => {
      const amount = bench.usd('USDC', 200);
      const quote = await bench.local.quote(bench.local.hops('v3', 'USDC', 'WETH'), amount);
      expect(await bench.problem(bench.build(quote, { wallet: poor }))).toEqual([
        422,
        'insufficient_funds',
        `the wallet has 0 of token ${bench.local.token('USDC').address} and needs ${amount}`,
      ]);
      await bench.local.chain.fund(`0x${poor}`, {
        tokens: [{ token: bench.local.token('USDC').address, amount: amount - 1n }],
      });
      const [, code, reason] = await bench.problem(bench.build(quote, { wallet: poor }));
      expect([code, reason]).toEqual(['insufficient_funds', expect.stringContaining(`has ${amount - 1n}`)]);
    });

    it('of the native coin are those for the value and the gas', async () => {
      const quote = await bench.local.quote(bench.local.hops('v2', 'WETH', 'USDC'), 10n ** 15n, { nativeIn: true });
      expect(await bench.problem(bench.build(quote, { wallet: poor }))).toEqual([
        422,
        'insufficient_funds',
        `the wallet has 0 wei of the native coin and needs ${10n ** 15n}`,
      ]);
      await bench.local.chain.rpc.call('anvil_setBalance', [`0x${poor}`, toHex(10n ** 15n)]);
      const [status, code, reason] = await bench.problem(bench.build(quote, { wallet: poor }));
      expect([status, code]).toEqual([422, 'insufficient_funds']);
      const need = /needs (\d+): 1000000000000000 for the swap and (\d+) for gas/.exec(reason)!;
      expect(BigInt(need[1]!)).toBe(10n ** 15n + BigInt(need[2]!));
      await bench.local.chain.rpc.call('anvil_setBalance', [`0x${poor}`, toHex(BigInt(need[1]!) - 1n)]);
      expect((await bench.problem(bench.build(quote, { wallet: poor })))[1]).toBe('insufficient_funds');
      await bench.local.chain.rpc.call('anvil_setBalance', [`0x${poor}`, need[1] && toHex(BigInt(need[1]))]);
      expect((await bench.build(quote, { wallet: poor })).setupTransactions).toEqual([]);
    });

    it('for a wrap and an unwrap as well', async () => {
      const [, code] = await bench.problem(bench.build(await bench.local.wrapQuote('wrap', 10n ** 24n)));
      expect(code).toBe('insufficient_funds');
      const [, other, reason] = await bench.problem(bench.build(await bench.local.wrapQuote('unwrap', 10n ** 24n)));
      expect([other, reason]).toEqual(['insufficient_funds', expect.stringContaining(`needs ${10n ** 24n}`)]);
    });
  });

  describe('the floor', () => {
    it('follows a new slippage, except on a wrap', async () => {
      const quote = await bench.local.quote(bench.local.hops('v2', 'USDC', 'WETH'), bench.usd('USDC', 100));
      const answer = await bench.build(quote, { slippageBps: 777 });
      const floor = (BigInt(quote.outAmount) * 9223n) / 10_000n;
      expect(answer.quoteResponse).toEqual({ ...quote, slippageBps: 777, otherAmountThreshold: floor.toString() });
      const { args } = decodeFunctionData({ abi: ABI, data: answer.swapTransaction.data as Prefixed });
      expect(args[1]).toBe(floor);
      const wrap = await bench.build(await bench.local.wrapQuote('wrap', 1000n), { slippageBps: 5_000 });
      expect(wrap.quoteResponse).toMatchObject({ slippageBps: 5_000, otherAmountThreshold: '1000' });
    });

    it.each(['v2', 'v3'] as const)('that the pools of %s moved past is a moved quote', async (protocol) => {
      const quote = await bench.local.quote(bench.local.hops(protocol, 'WETH', 'USDC'), 10n ** 17n, {
        slippageBps: 10,
      });
      const big = await bench.local.quote(bench.local.hops(protocol, 'WETH', 'USDC'), 30n * 10n ** 18n, {
        slippageBps: 9_000,
      });
      const { receipts } = await bench.local.execute(await bench.build(big));
      expect(minedWell(receipts)).toBe(true);
      const [status, code, reason] = await bench.problem(bench.build(quote));
      expect([status, code]).toEqual([409, 'quote_moved']);
      const gives = BigInt(/the route gives (\d+), below the floor of (\d+)/.exec(reason)![1]!);
      const out = BigInt(quote.outAmount);
      const needed = Number(((out - gives) * 10_000n + out - 1n) / out);
      const answer = await bench.build(quote, { slippageBps: needed });
      expect(answer.simulation.outAmount).toBe(gives.toString());
      expect((await bench.problem(bench.build(quote, { slippageBps: needed - 1 })))[1]).toBe('quote_moved');
    });

    it('that only the tax breaks names the slippage it needs', async () => {
      for (const [from, to] of [
        ['TOLL', 'WETH'],
        ['WETH', 'TOLL'],
      ] as const) {
        const quote = await bench.local.quote(bench.local.hops('v2', from, to), bench.usd(from, 50), {
          slippageBps: 50,
        });
        const [status, code, reason] = await bench.problem(bench.build(quote));
        expect([status, code]).toEqual([409, 'simulation_failed']);
        const needed = Number(/slippageBps of at least (\d+), not 50/.exec(reason)![1]);
        expect(needed).toBeGreaterThanOrEqual(290);
        expect(needed).toBeLessThanOrEqual(310);
        expect((await bench.problem(bench.build(quote, { slippageBps: needed - 1 })))[1]).toBe('simulation_failed');
        const answer = await bench.build(quote, { slippageBps: needed });
        const { received, receipts } = await bench.local.execute(answer);
        expect(minedWell(receipts)).toBe(true);
        expect(received.toString()).toBe(answer.simulation.outAmount);
      }
    });

    it('of a taxed token whose pool moved is a moved quote all the same', async () => {
      const quote = await bench.local.quote(bench.local.hops('v2', 'WETH', 'TOLL'), 10n ** 16n, { slippageBps: 500 });
      const big = await bench.local.quote(bench.local.hops('v2', 'WETH', 'TOLL'), 8n * 10n ** 18n, {
        slippageBps: 9_000,
      });
      await bench.local.execute(await bench.build(big));
      expect((await bench.problem(bench.build(quote)))[1]).toBe('quote_moved');
    });
  });

  describe('tokens', () => {
    it('that take a tax go through the functions that pay by balances', async () => {
      const sell = await bench.local.quote(bench.local.hops('v2', 'TOLL', 'WETH'), bench.usd('TOLL', 50), {
        slippageBps: 500,
        nativeOut: true,
      });
      const buy = await bench.local.quote(bench.local.hops('v2', 'WETH', 'TOLL'), 10n ** 16n, {
        slippageBps: 500,
        nativeIn: true,
      });
      const names: string[] = [];
      for (const quote of [sell, buy]) {
        const { swapTransaction } = await bench.build(quote);
        names.push(decodeFunctionData({ abi: ABI, data: swapTransaction.data as Prefixed }).functionName);
      }
      expect(names).toEqual([
        'swapExactTokensForETHSupportingFeeOnTransferTokens',
        'swapExactETHForTokensSupportingFeeOnTransferTokens',
      ]);
      const plain = await bench.local.quote(bench.local.hops('v2', 'HRBR', 'WETH'), bench.usd('HRBR', 50), {
        nativeOut: true,
      });
      const { data } = (await bench.build(plain)).swapTransaction;
      expect(decodeFunctionData({ abi: ABI, data: data as Prefixed }).functionName).toBe('swapExactTokensForETH');
    });

    it('that take a tax are refused on V3', async () => {
      for (const [from, to] of [
        ['TOLL', 'WETH'],
        ['WETH', 'TOLL'],
      ] as const) {
        const quote = await bench.local.quote(bench.local.hops('v3', from, to), bench.usd(from, 20), {
          slippageBps: 2_000,
        });
        const [status, code, reason] = await bench.problem(bench.build(quote));
        expect([status, code]).toEqual([422, 'fee_on_transfer']);
        expect(reason).toContain(`token ${bench.local.token('TOLL').address} takes a tax`);
      }
    });

    it('that bar the wallet or the recipient are named', async () => {
      const token = bench.local.token('SLUC').address;
      const sell = await bench.local.quote(bench.local.hops('v2', 'SLUC', 'WETH'), bench.usd('SLUC', 20));
      expect(await bench.problem(bench.build(sell))).toEqual([
        422,
        'token_not_transferable',
        expect.stringMatching(new RegExp(`^token ${token} refuses the transfer from the wallet to pool .*are closed$`)),
      ]);
      const buy = await bench.local.quote(bench.local.hops('v2', 'WETH', 'SLUC'), 10n ** 16n, { nativeIn: true });
      expect(await bench.problem(bench.build(buy, { recipient: OTHER }))).toEqual([
        422,
        'token_not_transferable',
        expect.stringMatching(/from pool .* to the recipient: GatedToken: transfers are closed$/),
      ]);
    });

    it('that bar the router alone are named too', async () => {
      const quote = await bench.local.quote(bench.local.hops('v3', 'USDC', 'WETH'), bench.usd('USDC', 20));
      await refuseTransferFrom(bench.local, 'USDC');
      expect(await bench.problem(bench.build(quote))).toEqual([
        422,
        'token_not_transferable',
        expect.stringContaining('STF'),
      ]);
    });

    it('that refuse the approval altogether fail in their own words', async () => {
      const quote = await bench.local.quote(bench.local.hops('v2', 'HRBR', 'WETH'), bench.usd('HRBR', 100));
      await refuseApprovals(bench.local, 'HRBR');
      expect(await bench.problem(bench.build(quote))).toEqual([
        409,
        'simulation_failed',
        expect.stringContaining('refuses the approval: custom error 0xdeadbeef'),
      ]);
    });
  });

  it('that reverts for its own reason says it in the contract’s words', async () => {
    const quote = await bench.local.quote(bench.local.hops('v2', 'USDC', 'WETH'), bench.usd('USDC', 90));
    // MSTORE(0, selector), REVERT(28, 4) at the router: an unknown custom error.
    await bench.local.chain.rpc.call('anvil_setCode', [quote.router, '0x63c0ffee006000526004601cfd']);
    expect(await bench.problem(bench.build(quote))).toEqual([
      409,
      'simulation_failed',
      'the simulation at the head failed: custom error 0xc0ffee00',
    ]);
  });

  it('of a venue that is served no more asks for a new quote', async () => {
    const quote = await bench.local.quote(bench.local.hops('v3', 'WETH', 'USDC'), 10n ** 16n);
    const plan = quote.routePlan.map((step) => ({ ...step, venueId: 'eth-gone-v3' }));
    expect((await bench.problem(bench.build({ ...quote, routePlan: plan }))).slice(0, 2)).toEqual([
      409,
      'quote_expired',
    ]);
  });
});

/** The token's code moves away; in its place, one function reverts with the error and the rest goes to the old code. */
async function breakFunction(local: BuildChain, symbol: string, signature: string, error: string): Promise<void> {
  const { rpc } = local.chain;
  const token = local.token(symbol).address;
  const old = '0c0de'.padStart(40, '0');
  await rpc.call('anvil_setCode', [`0x${old}`, await rpc.call<string>('eth_getCode', [token, 'latest'])]);
  // PUSH4 selector, CALLDATALOAD(0) >> 224, EQ, JUMPI 0x45
  const choose = `63${toFunctionSelector(signature).slice(2)}60003560e01c14604557`;
  // CALLDATACOPY, DELEGATECALL, RETURNDATACOPY, JUMPI 0x40; REVERT; 0x40: JUMPDEST, RETURN
  const pass = `3660006000376000600036600073${old}5af43d600060003e6040573d6000fd5b3d6000f3`;
  // 0x45: JUMPDEST, MSTORE(0, error), REVERT(28, 4)
  const refuse = `5b63${error}6000526004601cfd`;
  await rpc.call('anvil_setCode', [token, `0x${choose}${pass}${refuse}`]);
}

const refuseApprovals = (local: BuildChain, symbol: string): Promise<void> =>
  breakFunction(local, symbol, 'approve(address,uint256)', 'deadbeef');
const refuseTransferFrom = (local: BuildChain, symbol: string): Promise<void> =>
  breakFunction(local, symbol, 'transferFrom(address,address,uint256)', 'deadbeef');
