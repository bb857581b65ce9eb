import { decodeFunctionData, type Hex as Prefixed } from 'viem';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { NATIVE_MINT } from '../native-coin.js';
import { ABI, describeBuilds, OTHER } from './test/build-bench.js';
import { minedWell } from './test/build-chain.js';

const approvals = (transactions: readonly EvmTransaction[]): bigint[] =>
  transactions.map(({ data }) => {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: data as Prefixed });
    expect(functionName).toBe('approve');
    return args[1] as bigint;
  });

describeBuilds('what is built', (bench) => {
  it('says how it simulates', async () => {
    await bench.build(await bench.local.wrapQuote('wrap', 5n));
    expect(bench.builder.simulation()).toBe(bench.way);
  });

  it('is unsigned, whole and described', async () => {
    const quote = await bench.local.quote(bench.local.hops('v3', 'USDC', 'WETH'), bench.usd('USDC', 500), {
      nativeOut: true,
    });
    const nonce = await bench.local.nonce();
    const answer = await bench.build(quote);
    expect(await bench.local.nonce()).toBe(nonce);
    const { setupTransactions, swapTransaction, simulation, quoteResponse } = answer;
    for (const tx of [...setupTransactions, swapTransaction]) {
      expect(Object.keys(tx).sort()).toEqual(
        'chainId data description from gas maxFeePerGas maxPriorityFeePerGas to type value'.split(' '),
      );
      expect(tx).toMatchObject({ chainId: 1, from: `0x${bench.local.wallet}`, type: '0x2' });
      for (const value of [tx.gas, tx.maxFeePerGas, tx.maxPriorityFeePerGas, tx.value]) {
        expect(value).toMatch(/^0x(0|[1-9a-f][0-9a-f]*)$/);
      }
      expect(BigInt(tx.maxFeePerGas) >= BigInt(tx.maxPriorityFeePerGas)).toBe(true);
    }
    expect(setupTransactions[0]!.description).toBe('Approve 500 USDC for Uniswap V3');
    expect(swapTransaction.description).toMatch(/^Swap 500 USDC for at least 0\.\d+ ETH on Uniswap V3$/);
    expect(swapTransaction.to).toBe(quote.router);
    expect(quoteResponse).toEqual(quote);
    const head = await bench.local.chain.rpc.call<{ number: string; hash: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    expect(simulation).toMatchObject({ blockNumber: Number(head.number), blockHash: head.hash });
    expect(simulation.outAmount).toBe(quote.outAmount);
  });

  it('is built for a wallet that carries code as well', async () => {
    const quote = await bench.local.quote(bench.local.hops('v3', 'USDT', 'WETH'), bench.usd('USDT', 100), {
      nativeOut: true,
    });
    // A delegation to code that only stops, as a wallet of EIP-7702 has one.
    await bench.local.chain.rpc.call('anvil_setCode', [`0x${OTHER}`, '0x00']);
    await bench.local.chain.rpc.call('anvil_setCode', [`0x${bench.local.wallet}`, `0xef0100${OTHER}`]);
    const answer = await bench.build(quote);
    expect(answer.simulation.outAmount).toBe(quote.outAmount);
    const { received, receipts } = await bench.local.execute(answer);
    expect([minedWell(receipts), received.toString()]).toEqual([true, quote.outAmount]);
  });

  it('gives gas that suffices and is not far above what is used', async () => {
    const quote = await bench.local.quote(bench.local.hops('v3', 'HRBR', 'WETH', 'USDC'), bench.usd('HRBR', 300));
    const answer = await bench.build(quote);
    const { receipts } = await bench.local.execute(answer);
    expect(minedWell(receipts)).toBe(true);
    const used = receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n);
    const simulated = BigInt(answer.simulation.gasUsed);
    if (bench.way === 'eth_simulateV1') expect(simulated).toBe(used);
    else expect(Number(simulated) / Number(used)).toBeCloseTo(1, 0);
    const limit = [...answer.setupTransactions, answer.swapTransaction].reduce((sum, { gas }) => sum + BigInt(gas), 0n);
    expect(limit < used * 3n).toBe(true);
  });

  describe('approvals', () => {
    it('are exact, and none where the allowance suffices', async () => {
      const amount = bench.usd('HRBR', 100);
      const quote = await bench.local.quote(bench.local.hops('v2', 'HRBR', 'WETH'), amount);
      const first = await bench.build(quote);
      expect(approvals(first.setupTransactions)).toEqual([amount]);
      expect(first.setupTransactions[0]!.to).toBe(bench.local.token('HRBR').address);
      await bench.local.approve(bench.local.token('HRBR').address, bench.router('v2'), amount - 1n);
      expect(approvals((await bench.build(quote)).setupTransactions)).toEqual([amount]);
      await bench.local.approve(bench.local.token('HRBR').address, bench.router('v2'), amount);
      expect((await bench.build(quote)).setupTransactions).toEqual([]);
      const native = await bench.local.quote(bench.local.hops('v2', 'WETH', 'HRBR'), 10n ** 17n, { nativeIn: true });
      const answer = await bench.build(native);
      expect(answer.setupTransactions).toEqual([]);
      expect(BigInt(answer.swapTransaction.value)).toBe(10n ** 17n);
    });

    it.each(['v2', 'v3'] as const)('go through zero on %s where the token wants it', async (protocol) => {
      const amount = bench.usd('USDT', 100);
      await bench.local.approve(bench.local.token('USDT').address, bench.router(protocol), 5n);
      const quote = await bench.local.quote(bench.local.hops(protocol, 'USDT', 'WETH'), amount);
      const answer = await bench.build(quote);
      expect(approvals(answer.setupTransactions)).toEqual([0n, amount]);
      const { received, receipts } = await bench.local.execute(answer);
      expect(minedWell(receipts)).toBe(true);
      expect(received.toString()).toBe(answer.simulation.outAmount);
    });
  });

  describe('a recipient', () => {
    it('gets tokens and coins instead of the wallet', async () => {
      for (const protocol of ['v2', 'v3'] as const) {
        for (const nativeOut of [false, true]) {
          const quote = await bench.local.quote(bench.local.hops(protocol, 'USDC', 'WETH'), bench.usd('USDC', 90), {
            nativeOut,
          });
          const answer = await bench.build(quote, { recipient: OTHER });
          const { received, receipts } = await bench.local.execute(answer, OTHER);
          expect(minedWell(receipts)).toBe(true);
          expect(received.toString()).toBe(answer.simulation.outAmount);
          expect(answer.simulation.outAmount).toBe(quote.outAmount);
        }
      }
    });

    it('that would lose the output is refused', async () => {
      const quote = await bench.local.quote(bench.local.hops('v3', 'USDC', 'WETH'), bench.usd('USDC', 90), {
        nativeOut: true,
      });
      const pool = quote.routePlan[0]!.swapInfo.ammKey.slice(2);
      const special = [1, 2].map((n) => n.toString().padStart(40, '0'));
      for (const recipient of [
        '0'.repeat(40),
        ...special,
        NATIVE_MINT,
        bench.router('v3'),
        pool,
        bench.local.token('USDC').address.slice(2),
      ]) {
        const [status, code, reason] = await bench.problem(bench.build(quote, { recipient }));
        expect([recipient, status, code, reason.slice(0, 10)]).toEqual([recipient, 400, 'bad_request', 'recipient:']);
      }
      for (const kind of ['wrap', 'unwrap'] as const) {
        const wrap = await bench.local.wrapQuote(kind, 1000n);
        const [status, , reason] = await bench.problem(bench.build(wrap, { recipient: OTHER }));
        expect([status, reason.slice(0, 10)]).toEqual([400, 'recipient:']);
        await bench.build(wrap, { recipient: bench.local.wallet });
      }
    });

    it('that takes no coins is named', async () => {
      const quote = await bench.local.quote(bench.local.hops('v2', 'USDC', 'WETH'), bench.usd('USDC', 90), {
        nativeOut: true,
      });
      await bench.local.chain.rpc.call('anvil_setCode', [`0x${OTHER}`, '0x60006000fd']);
      expect(await bench.problem(bench.build(quote, { recipient: OTHER }))).toEqual([
        422,
        'token_not_transferable',
        expect.stringContaining('the recipient does not take the native coin'),
      ]);
    });
  });

  it('counts its deadline from the head where the chain is ahead of the clock', async () => {
    const quote = await bench.local.quote(bench.local.hops('v3', 'WETH', 'USDC'), 10n ** 15n, { nativeIn: true });
    const ahead = Math.floor(Date.now() / 1000) + 5_000;
    await bench.local.chain.rpc.call('evm_setNextBlockTimestamp', [ahead]);
    await bench.local.chain.rpc.call('evm_mine');
    const { swapTransaction, expiresAt } = await bench.build(quote, { deadlineSeconds: 1 });
    const { args } = decodeFunctionData({ abi: ABI, data: swapTransaction.data as Prefixed });
    expect(Number(args[0])).toBe(ahead + 1);
    expect(expiresAt).toBe(new Date((ahead + 1) * 1000).toISOString());
  });

  it('carries a deadline that the chain enforces', async () => {
    for (const protocol of ['v2', 'v3'] as const) {
      const quote = await bench.local.quote(bench.local.hops(protocol, 'WETH', 'USDC'), 10n ** 15n);
      await bench.local.approve(bench.local.token('WETH').address, bench.router(protocol), 10n ** 15n);
      const answer = await bench.build(quote, { deadlineSeconds: 77 });
      const head = await bench.local.chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
      const { args } = decodeFunctionData({ abi: ABI, data: answer.swapTransaction.data as Prefixed });
      const deadline = Number(protocol === 'v2' ? args[4] : args[0]);
      const from = Math.max(Number(head.timestamp), Math.floor(Date.now() / 1000));
      expect(deadline - from).toBeGreaterThan(74);
      expect(deadline - from).toBeLessThanOrEqual(77);
      expect(answer.expiresAt).toBe(new Date(deadline * 1000).toISOString());
      const { rpc } = bench.local.chain;
      for (const [time, status] of [
        [deadline + 1, '0x0'],
        [deadline, '0x1'],
      ] as const) {
        const before = await rpc.call('evm_snapshot');
        const [receipt] = await bench.local.mine([answer.swapTransaction], time);
        expect([time - deadline, receipt!.status]).toEqual([time - deadline, status]);
        await rpc.call('evm_revert', [before]);
      }
    }
  });
});
