import { decodeFunctionData, type Hex as Prefixed, parseAbi, toFunctionSelector, toHex } from 'viem';
import type { Hex } from '#libs/core/ids.js';
import type { HttpProblem } from '#libs/http/problem.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { EvmTransaction } from '#libs/protocol/rest/evm/swap-body.js';
import type { BuildRequest } from '../ports.js';
import { createSwapBuilder, type RunningSwapBuilder } from './create-swap-builder.js';
import { NATIVE } from './swap-plan.js';
import { BuildChain, minedWell } from './test/build-chain.js';
import { lacking, RpcProxy } from './test/rpc-proxy.js';

const signal = new AbortController().signal;
const ABI = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function multicall(uint256 deadline, bytes[] data)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
]);
const OTHER: Hex = 'bb'.repeat(20);

/** A node that knows eth_simulateV1, and the same node without it: the answers are the same. */
describe.each(['eth_simulateV1', 'eth_call'] as const)('a build by %s', (way) => {
  let local: BuildChain;
  let proxy: RpcProxy;
  let builder: RunningSwapBuilder;
  let snapshot: string;

  beforeAll(async () => {
    local = await BuildChain.open('eth');
    proxy = await RpcProxy.open(local.chain.rpcUrl);
    if (way === 'eth_call') proxy.interfere = lacking('eth_simulateV1');
    builder = createSwapBuilder({ chain: local.spec, rpcUrls: [proxy.url], logger: silentLogger });
  });

  afterAll(async () => {
    await builder?.close();
    await proxy?.close();
    await local?.close();
  });

  // Every case starts from the same state.
  beforeEach(async () => {
    snapshot = await local.chain.rpc.call('evm_snapshot');
  });

  afterEach(async () => {
    await local.chain.rpc.call('evm_revert', [snapshot]);
  });

  const build = (quote: EvmQuote, rest: Partial<BuildRequest> = {}) =>
    builder.build(
      { quote, wallet: local.wallet, recipient: null, slippageBps: null, deadlineSeconds: 300, ...rest },
      signal,
    );
  const problem = async (promise: Promise<unknown>): Promise<[number, string, string]> => {
    const error = (await promise.then(
      (answer) => {
        throw new Error(`it was built: ${JSON.stringify(answer)}`);
      },
      (reason: unknown) => reason,
    )) as HttpProblem;
    return [error.status, error.code, error.message];
  };
  const approvals = (transactions: readonly EvmTransaction[]): bigint[] =>
    transactions.map(({ data }) => {
      const { functionName, args } = decodeFunctionData({ abi: ABI, data: data as Prefixed });
      expect(functionName).toBe('approve');
      return args[1] as bigint;
    });
  const usd = (symbol: string, dollars: number): bigint => local.units(local.token(symbol), dollars);
  const router = (protocol: 'v2' | 'v3'): Hex => local.venue(protocol).contracts!.router;

  it('says how it simulates', async () => {
    await build(await local.wrapQuote('wrap', 5n));
    expect(builder.simulation()).toBe(way);
  });

  it('is unsigned, whole and described', async () => {
    const quote = await local.quote(local.hops('v3', 'USDC', 'WETH'), usd('USDC', 500), { nativeOut: true });
    const nonce = await local.nonce();
    const answer = await build(quote);
    expect(await local.nonce()).toBe(nonce);
    const { setupTransactions, swapTransaction, simulation, quoteResponse } = answer;
    for (const tx of [...setupTransactions, swapTransaction]) {
      expect(Object.keys(tx).sort()).toEqual(
        'chainId data description from gas maxFeePerGas maxPriorityFeePerGas to type value'.split(' '),
      );
      expect(tx).toMatchObject({ chainId: 1, from: `0x${local.wallet}`, type: '0x2' });
      for (const value of [tx.gas, tx.maxFeePerGas, tx.maxPriorityFeePerGas, tx.value]) {
        expect(value).toMatch(/^0x(0|[1-9a-f][0-9a-f]*)$/);
      }
      expect(BigInt(tx.maxFeePerGas) >= BigInt(tx.maxPriorityFeePerGas)).toBe(true);
    }
    expect(setupTransactions[0]!.description).toBe('Approve 500 USDC for Uniswap V3');
    expect(swapTransaction.description).toMatch(/^Swap 500 USDC for at least 0\.\d+ ETH on Uniswap V3$/);
    expect(swapTransaction.to).toBe(quote.router);
    expect(quoteResponse).toEqual(quote);
    const head = await local.chain.rpc.call<{ number: string; hash: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    expect(simulation).toMatchObject({ blockNumber: Number(head.number), blockHash: head.hash });
    expect(simulation.outAmount).toBe(quote.outAmount);
  });

  it('gives gas that suffices and is not far above what is used', async () => {
    const quote = await local.quote(local.hops('v3', 'HRBR', 'WETH', 'USDC'), usd('HRBR', 300));
    const answer = await build(quote);
    const { receipts } = await local.execute(answer);
    expect(minedWell(receipts)).toBe(true);
    const used = receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n);
    const simulated = BigInt(answer.simulation.gasUsed);
    if (way === 'eth_simulateV1') expect(simulated).toBe(used);
    else expect(Number(simulated) / Number(used)).toBeCloseTo(1, 0);
    const limit = [...answer.setupTransactions, answer.swapTransaction].reduce((sum, { gas }) => sum + BigInt(gas), 0n);
    expect(limit < used * 3n).toBe(true);
  });

  describe('approvals', () => {
    it('are exact, and none where the allowance suffices', async () => {
      const amount = usd('HRBR', 100);
      const quote = await local.quote(local.hops('v2', 'HRBR', 'WETH'), amount);
      const first = await build(quote);
      expect(approvals(first.setupTransactions)).toEqual([amount]);
      expect(first.setupTransactions[0]!.to).toBe(local.token('HRBR').address);
      await local.approve(local.token('HRBR').address, router('v2'), amount - 1n);
      expect(approvals((await build(quote)).setupTransactions)).toEqual([amount]);
      await local.approve(local.token('HRBR').address, router('v2'), amount);
      expect((await build(quote)).setupTransactions).toEqual([]);
      const native = await local.quote(local.hops('v2', 'WETH', 'HRBR'), 10n ** 17n, { nativeIn: true });
      const answer = await build(native);
      expect(answer.setupTransactions).toEqual([]);
      expect(BigInt(answer.swapTransaction.value)).toBe(10n ** 17n);
    });

    it.each(['v2', 'v3'] as const)('go through zero on %s where the token wants it', async (protocol) => {
      const amount = usd('USDT', 100);
      await local.approve(local.token('USDT').address, router(protocol), 5n);
      const quote = await local.quote(local.hops(protocol, 'USDT', 'WETH'), amount);
      const answer = await build(quote);
      expect(approvals(answer.setupTransactions)).toEqual([0n, amount]);
      const { received, receipts } = await local.execute(answer);
      expect(minedWell(receipts)).toBe(true);
      expect(received.toString()).toBe(answer.simulation.outAmount);
    });

    it('that the token refuses altogether are a failed simulation with its words', async () => {
      const quote = await local.quote(local.hops('v2', 'HRBR', 'WETH'), usd('HRBR', 100));
      await refuseApprovals(local, 'HRBR');
      expect(await problem(build(quote))).toEqual([
        409,
        'simulation_failed',
        expect.stringContaining('refuses the approval: custom error 0xdeadbeef'),
      ]);
    });
  });

  describe('funds', () => {
    const poor = 'ab'.repeat(20);

    it('that lack are named with what there is and what is needed', async () => {
      const amount = usd('USDC', 200);
      const quote = await local.quote(local.hops('v3', 'USDC', 'WETH'), amount);
      expect(await problem(build(quote, { wallet: poor }))).toEqual([
        422,
        'insufficient_funds',
        `the wallet has 0 of token ${local.token('USDC').address} and needs ${amount}`,
      ]);
      await local.chain.fund(`0x${poor}`, { tokens: [{ token: local.token('USDC').address, amount: amount - 1n }] });
      const [, code, reason] = await problem(build(quote, { wallet: poor }));
      expect([code, reason]).toEqual(['insufficient_funds', expect.stringContaining(`has ${amount - 1n}`)]);
    });

    it('of the native coin are those for the value and the gas', async () => {
      const quote = await local.quote(local.hops('v2', 'WETH', 'USDC'), 10n ** 15n, { nativeIn: true });
      expect(await problem(build(quote, { wallet: poor }))).toEqual([
        422,
        'insufficient_funds',
        `the wallet has 0 wei of the native coin and needs ${10n ** 15n}`,
      ]);
      await local.chain.rpc.call('anvil_setBalance', [`0x${poor}`, toHex(10n ** 15n)]);
      const [status, code, reason] = await problem(build(quote, { wallet: poor }));
      expect([status, code]).toEqual([422, 'insufficient_funds']);
      const need = /needs (\d+): 1000000000000000 for the swap and (\d+) for gas/.exec(reason)!;
      expect(BigInt(need[1]!)).toBe(10n ** 15n + BigInt(need[2]!));
      await local.chain.rpc.call('anvil_setBalance', [`0x${poor}`, toHex(BigInt(need[1]!) - 1n)]);
      expect((await problem(build(quote, { wallet: poor })))[1]).toBe('insufficient_funds');
      await local.chain.rpc.call('anvil_setBalance', [`0x${poor}`, need[1] && toHex(BigInt(need[1]))]);
      expect((await build(quote, { wallet: poor })).setupTransactions).toEqual([]);
    });

    it('for a wrap and an unwrap as well', async () => {
      const [, code] = await problem(build(await local.wrapQuote('wrap', 10n ** 24n)));
      expect(code).toBe('insufficient_funds');
      const [, other, reason] = await problem(build(await local.wrapQuote('unwrap', 10n ** 24n)));
      expect([other, reason]).toEqual(['insufficient_funds', expect.stringContaining(`needs ${10n ** 24n}`)]);
    });
  });

  describe('the floor', () => {
    it('follows a new slippage, except on a wrap', async () => {
      const quote = await local.quote(local.hops('v2', 'USDC', 'WETH'), usd('USDC', 100));
      const answer = await build(quote, { slippageBps: 777 });
      const floor = (BigInt(quote.outAmount) * 9223n) / 10_000n;
      expect(answer.quoteResponse).toEqual({ ...quote, slippageBps: 777, otherAmountThreshold: floor.toString() });
      const { args } = decodeFunctionData({ abi: ABI, data: answer.swapTransaction.data as Prefixed });
      expect(args[1]).toBe(floor);
      const wrap = await build(await local.wrapQuote('wrap', 1000n), { slippageBps: 5_000 });
      expect(wrap.quoteResponse).toMatchObject({ slippageBps: 5_000, otherAmountThreshold: '1000' });
    });

    it.each(['v2', 'v3'] as const)('that the pools of %s moved past is a moved quote', async (protocol) => {
      const quote = await local.quote(local.hops(protocol, 'WETH', 'USDC'), 10n ** 17n, { slippageBps: 10 });
      const big = await local.quote(local.hops(protocol, 'WETH', 'USDC'), 30n * 10n ** 18n, { slippageBps: 9_000 });
      const { receipts } = await local.execute(await build(big));
      expect(minedWell(receipts)).toBe(true);
      const [status, code, reason] = await problem(build(quote));
      expect([status, code]).toEqual([409, 'quote_moved']);
      const gives = BigInt(/the route gives (\d+), below the floor of (\d+)/.exec(reason)![1]!);
      const out = BigInt(quote.outAmount);
      const needed = Number(((out - gives) * 10_000n + out - 1n) / out);
      const answer = await build(quote, { slippageBps: needed });
      expect(answer.simulation.outAmount).toBe(gives.toString());
      expect((await problem(build(quote, { slippageBps: needed - 1 })))[1]).toBe('quote_moved');
    });

    it('that only the tax breaks names the slippage it needs', async () => {
      for (const [from, to] of [
        ['TOLL', 'WETH'],
        ['WETH', 'TOLL'],
      ] as const) {
        const quote = await local.quote(local.hops('v2', from, to), usd(from, 50), { slippageBps: 50 });
        const [status, code, reason] = await problem(build(quote));
        expect([status, code]).toEqual([409, 'simulation_failed']);
        const needed = Number(/slippageBps of at least (\d+), not 50/.exec(reason)![1]);
        expect(needed).toBeGreaterThanOrEqual(290);
        expect(needed).toBeLessThanOrEqual(310);
        expect((await problem(build(quote, { slippageBps: needed - 1 })))[1]).toBe('simulation_failed');
        const answer = await build(quote, { slippageBps: needed });
        const { received, receipts } = await local.execute(answer);
        expect(minedWell(receipts)).toBe(true);
        expect(received.toString()).toBe(answer.simulation.outAmount);
      }
    });

    it('of a taxed token whose pool moved is a moved quote all the same', async () => {
      const quote = await local.quote(local.hops('v2', 'WETH', 'TOLL'), 10n ** 16n, { slippageBps: 500 });
      const big = await local.quote(local.hops('v2', 'WETH', 'TOLL'), 8n * 10n ** 18n, { slippageBps: 9_000 });
      await local.execute(await build(big));
      expect((await problem(build(quote)))[1]).toBe('quote_moved');
    });
  });

  describe('tokens', () => {
    it('that take a tax go through the functions that pay by balances', async () => {
      const sell = await local.quote(local.hops('v2', 'TOLL', 'WETH'), usd('TOLL', 50), {
        slippageBps: 500,
        nativeOut: true,
      });
      const buy = await local.quote(local.hops('v2', 'WETH', 'TOLL'), 10n ** 16n, { slippageBps: 500, nativeIn: true });
      const names: string[] = [];
      for (const quote of [sell, buy]) {
        const { swapTransaction } = await build(quote);
        names.push(decodeFunctionData({ abi: ABI, data: swapTransaction.data as Prefixed }).functionName);
      }
      expect(names).toEqual([
        'swapExactTokensForETHSupportingFeeOnTransferTokens',
        'swapExactETHForTokensSupportingFeeOnTransferTokens',
      ]);
      const plain = await local.quote(local.hops('v2', 'HRBR', 'WETH'), usd('HRBR', 50), { nativeOut: true });
      const { data } = (await build(plain)).swapTransaction;
      expect(decodeFunctionData({ abi: ABI, data: data as Prefixed }).functionName).toBe('swapExactTokensForETH');
    });

    it('that take a tax are refused on V3', async () => {
      for (const [from, to] of [
        ['TOLL', 'WETH'],
        ['WETH', 'TOLL'],
      ] as const) {
        const quote = await local.quote(local.hops('v3', from, to), usd(from, 20), { slippageBps: 2_000 });
        const [status, code, reason] = await problem(build(quote));
        expect([status, code]).toEqual([422, 'fee_on_transfer']);
        expect(reason).toContain(`token ${local.token('TOLL').address} takes a tax`);
      }
    });

    it('that bar the wallet or the recipient are named', async () => {
      const token = local.token('SLUC').address;
      const sell = await local.quote(local.hops('v2', 'SLUC', 'WETH'), usd('SLUC', 20));
      expect(await problem(build(sell))).toEqual([
        422,
        'token_not_transferable',
        expect.stringMatching(new RegExp(`^token ${token} refuses the transfer from the wallet to pool .*are closed$`)),
      ]);
      const buy = await local.quote(local.hops('v2', 'WETH', 'SLUC'), 10n ** 16n, { nativeIn: true });
      expect(await problem(build(buy, { recipient: OTHER }))).toEqual([
        422,
        'token_not_transferable',
        expect.stringMatching(/from pool .* to the recipient: GatedToken: transfers are closed$/),
      ]);
    });

    it('that bar the router alone are named too', async () => {
      const quote = await local.quote(local.hops('v3', 'USDC', 'WETH'), usd('USDC', 20));
      await refuseTransferFrom(local, 'USDC');
      expect(await problem(build(quote))).toEqual([422, 'token_not_transferable', expect.stringContaining('STF')]);
    });
  });

  describe('a recipient', () => {
    it('gets tokens and coins instead of the wallet', async () => {
      for (const protocol of ['v2', 'v3'] as const) {
        for (const nativeOut of [false, true]) {
          const quote = await local.quote(local.hops(protocol, 'USDC', 'WETH'), usd('USDC', 90), { nativeOut });
          const answer = await build(quote, { recipient: OTHER });
          const { received, receipts } = await local.execute(answer, OTHER);
          expect(minedWell(receipts)).toBe(true);
          expect(received.toString()).toBe(answer.simulation.outAmount);
          expect(answer.simulation.outAmount).toBe(quote.outAmount);
        }
      }
    });

    it('that would lose the output is refused', async () => {
      const quote = await local.quote(local.hops('v3', 'USDC', 'WETH'), usd('USDC', 90), { nativeOut: true });
      const pool = quote.routePlan[0]!.swapInfo.ammKey.slice(2);
      const special = [1, 2].map((n) => n.toString().padStart(40, '0'));
      for (const recipient of [
        '0'.repeat(40),
        ...special,
        NATIVE,
        router('v3'),
        pool,
        local.token('USDC').address.slice(2),
      ]) {
        const [status, code, reason] = await problem(build(quote, { recipient }));
        expect([recipient, status, code, reason.slice(0, 10)]).toEqual([recipient, 400, 'bad_request', 'recipient:']);
      }
      for (const kind of ['wrap', 'unwrap'] as const) {
        const wrap = await local.wrapQuote(kind, 1000n);
        const [status, , reason] = await problem(build(wrap, { recipient: OTHER }));
        expect([status, reason.slice(0, 10)]).toEqual([400, 'recipient:']);
        await build(wrap, { recipient: local.wallet });
      }
    });

    it('that takes no coins is named', async () => {
      const quote = await local.quote(local.hops('v2', 'USDC', 'WETH'), usd('USDC', 90), { nativeOut: true });
      await local.chain.rpc.call('anvil_setCode', [`0x${OTHER}`, '0x60006000fd']);
      expect(await problem(build(quote, { recipient: OTHER }))).toEqual([
        422,
        'token_not_transferable',
        expect.stringContaining('the recipient does not take the native coin'),
      ]);
    });
  });

  it('that reverts for its own reason says it in the contract’s words', async () => {
    const quote = await local.quote(local.hops('v2', 'USDC', 'WETH'), usd('USDC', 90));
    // MSTORE(0, selector), REVERT(28, 4) at the router: a custom error nobody knows.
    await local.chain.rpc.call('anvil_setCode', [quote.router, '0x63c0ffee006000526004601cfd']);
    expect(await problem(build(quote))).toEqual([
      409,
      'simulation_failed',
      'the simulation at the head failed: custom error 0xc0ffee00',
    ]);
  });

  it('carries a deadline that the chain enforces', async () => {
    for (const protocol of ['v2', 'v3'] as const) {
      const quote = await local.quote(local.hops(protocol, 'WETH', 'USDC'), 10n ** 15n);
      await local.approve(local.token('WETH').address, router(protocol), 10n ** 15n);
      const answer = await build(quote, { deadlineSeconds: 77 });
      const head = await local.chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
      const { args } = decodeFunctionData({ abi: ABI, data: answer.swapTransaction.data as Prefixed });
      const deadline = Number(protocol === 'v2' ? args[4] : args[0]);
      const from = Math.max(Number(head.timestamp), Math.floor(Date.now() / 1000));
      expect(deadline - from).toBeGreaterThan(74);
      expect(deadline - from).toBeLessThanOrEqual(77);
      expect(answer.expiresAt).toBe(new Date(deadline * 1000).toISOString());
      const { rpc } = local.chain;
      for (const [time, status] of [
        [deadline + 1, '0x0'],
        [deadline, '0x1'],
      ] as const) {
        const before = await rpc.call('evm_snapshot');
        const [receipt] = await local.mine([answer.swapTransaction], time);
        expect([time - deadline, receipt!.status]).toEqual([time - deadline, status]);
        await rpc.call('evm_revert', [before]);
      }
    }
  });

  it('of a venue that is served no more asks for a new quote', async () => {
    const quote = await local.quote(local.hops('v3', 'WETH', 'USDC'), 10n ** 16n);
    const plan = quote.routePlan.map((step) => ({ ...step, venueId: 'eth-gone-v3' }));
    expect((await problem(build({ ...quote, routePlan: plan }))).slice(0, 2)).toEqual([409, 'quote_expired']);
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
