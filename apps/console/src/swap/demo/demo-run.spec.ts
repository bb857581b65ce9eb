import { encodeFunctionData, getContractAddress, parseAbi } from 'viem';
import { type AnvilProcess, startAnvil } from '#libs/devkit/devnet/evm/anvil-process.js';
import { genuine } from '#libs/devkit/devnet/evm/genuine-contracts.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EvmSwapAnswer, EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { type Coin, NATIVE } from '../coins.js';
import { DemoRun, type RunState } from './demo-run.js';
import { addressOf, type Key, newKey, sign } from './demo-signer.js';
import type { DemoWallet } from './demo-wallet.js';
import { LocalNode, quantity } from './local-node.js';

const ONE = 10n ** 18n;
const ABI = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256)',
  'function approve(address,uint256) returns (bool)',
]);

/** Of the first two questions for receipts, the one at `early` is answered before a block and the other one after it. */
class SplitNode extends LocalNode {
  splits = 0;
  private asked = 0;
  private answered!: () => void;
  private readonly block = new Promise<void>((resolve) => {
    this.answered = resolve;
  });

  constructor(
    url: string,
    private readonly early: number,
  ) {
    super(url);
  }

  override async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    if (method !== 'eth_getTransactionReceipt' || this.splits > 0) return super.call<T>(method, params);
    if (this.asked++ !== this.early) {
      await this.block;
      return super.call<T>(method, params);
    }
    const answer = await super.call<T>(method, params);
    await super.call('evm_mine');
    this.splits++;
    this.answered();
    return answer;
  }
}

/** The demo wallet on a real node with the genuine wrapped coin; blocks are made when the test says so. */
describe('a run of the demo wallet', () => {
  let anvil: AnvilProcess;
  let node: LocalNode;
  let weth: `0x${string}`;
  let wallet: DemoWallet;
  let eth: Coin;
  let wrapped: Coin;
  let running: DemoRun | undefined;

  beforeAll(async () => {
    anvil = await startAnvil({
      port: 0,
      args: ['--no-mining', '--chain-id', '1', '--accounts', '1', '--prune-history', '64'],
    });
    node = new LocalNode(`http://127.0.0.1:${anvil.port}`);
    const [from] = await node.call<`0x${string}`[]>('eth_accounts');
    const { bytecode } = genuine('weth');
    await node.call('eth_sendTransaction', [{ from, data: bytecode, gas: quantity(2_000_000) }]);
    await mine();
    weth = getContractAddress({ from: from!, nonce: 0n }).toLowerCase() as `0x${string}`;
    const base = { chain: 'eth', decimals: 18 };
    eth = { ...base, address: NATIVE, symbol: 'ETH', name: 'Ether' };
    wrapped = { ...base, address: weth, symbol: 'WETH', name: 'Wrapped Ether' };
  });

  beforeEach(async () => {
    const key: Key = newKey();
    wallet = { address: addressOf(key), sign: (tx, nonce) => sign(key, tx, nonce) };
    await node.call('anvil_setBalance', [wallet.address, quantity(10n * ONE)]);
  });

  afterEach(() => running?.stop());
  afterAll(() => anvil?.stop());

  const mine = () => node.call('evm_mine');

  const transaction = (data: string, value = 0n): EvmTransaction => ({
    ...{ chainId: 1, from: wallet.address, to: weth, data, value: quantity(value), gas: quantity(120_000) },
    ...{ maxFeePerGas: quantity(50_000_000_000n), maxPriorityFeePerGas: quantity(1_000_000_000n), type: '0x2' },
    description: 'of the spec',
  });
  const deposit = (value: bigint) => transaction(encodeFunctionData({ abi: ABI, functionName: 'deposit' }), value);
  const withdraw = (amount: bigint) =>
    transaction(encodeFunctionData({ abi: ABI, functionName: 'withdraw', args: [amount] }));
  const approve = (amount: bigint) =>
    transaction(encodeFunctionData({ abi: ABI, functionName: 'approve', args: [weth, amount] }));

  const start = (
    input: Coin,
    output: Coin,
    answer: { setup?: EvmTransaction[]; swap: EvmTransaction; quoted: bigint },
    { patienceMs, asks = node }: { patienceMs?: number; asks?: LocalNode } = {},
  ): Promise<void> => {
    const quoteResponse = { outAmount: answer.quoted.toString() } as EvmSwapAnswer['quoteResponse'];
    running = new DemoRun({
      ...{ node: asks, wallet, input, output, pollMs: 10, patienceMs },
      answer: { setupTransactions: answer.setup ?? [], swapTransaction: answer.swap, quoteResponse } as EvmSwapAnswer,
    });
    return running.run();
  };

  const when = (ready: (state: RunState) => boolean): Promise<RunState> =>
    new Promise((resolve) => {
      let done = false;
      const end = running!.state.subscribe((state) => {
        if (done || !ready(state)) return;
        done = true;
        resolve(state);
        queueMicrotask(() => end());
      });
    });
  const ended = () => when(({ name }) => name !== 'running');
  const sent = () => when(({ steps }) => steps.every(({ hash }) => hash !== null));

  it('signs in order, lands, and counts what arrived without the gas', async () => {
    const first = start(eth, wrapped, { setup: [approve(7n)], swap: deposit(3n * ONE), quoted: 3n * ONE + 300n });
    expect((await sent()).steps.map(({ state, block }) => [state, block])).toEqual([
      ['sent', null],
      ['sent', null],
    ]);
    await mine();
    const { name, steps, outcome } = await ended();
    expect(name).toBe('done');
    expect(steps.map(({ state }) => state)).toEqual(['landed', 'landed']);
    const height = await node.blockNumber();
    expect(outcome).toMatchObject({ block: height, received: 3n * ONE, quoted: 3n * ONE + 300n, replaced: false });
    expect(outcome!.before).toEqual({ input: 10n * ONE, output: 0n });
    expect(outcome!.after).toEqual({ input: 7n * ONE - outcome!.gasPaid, output: 3n * ONE });
    running!.stop();
    await first;

    const back = start(wrapped, eth, { swap: withdraw(ONE), quoted: ONE });
    await sent();
    await mine();
    expect((await ended()).outcome).toMatchObject({ received: ONE, quoted: ONE, after: { input: 2n * ONE } });
    running!.stop();
    await back;
  });

  it('says so when the swap reverts', async () => {
    const run = start(wrapped, eth, { setup: [approve(1n)], swap: withdraw(ONE), quoted: ONE });
    await sent();
    await mine();
    await run;
    const { name, trouble, outcome, steps } = running!.state.value;
    expect([name, outcome]).toEqual(['failed', null]);
    expect(trouble).toContain('The swap reverted');
    expect(steps.map(({ state }) => state)).toEqual(['landed', 'reverted']);
  });

  it.each([
    ['approval', 0],
    ['swap', 1],
  ])('shows one moment where a block comes after the question about the %s alone', async (_which, early) => {
    const split = new SplitNode(`http://127.0.0.1:${anvil.port}`, early);
    const shown: string[][] = [];
    const swap = { setup: [approve(1n)], swap: withdraw(ONE), quoted: ONE };
    const run = start(wrapped, eth, swap, { asks: split });
    const end = running!.state.subscribe(({ steps }) => shown.push(steps.map(({ state }) => state)));
    await run;
    end();
    expect(split.splits).toBe(1);
    expect(running!.state.value.name).toBe('failed');
    expect(shown.at(-1)).toEqual(['landed', 'reverted']);
    expect(shown).not.toContainEqual(['sent', 'reverted']);
  });

  it('says so when it never lands', async () => {
    await start(eth, wrapped, { swap: deposit(ONE), quoted: ONE }, { patienceMs: 200 });
    expect(running!.state.value).toMatchObject({ name: 'failed', trouble: expect.stringContaining('not landed') });
    await node.call('anvil_dropAllTransactions');
  });

  it('is sent again when the node forgets it', async () => {
    const run = start(eth, wrapped, { swap: deposit(ONE), quoted: ONE });
    await sent();
    await node.call('anvil_dropAllTransactions');
    const pending = async () => (await node.call<{ pending: string }>('txpool_status')).pending;
    await until('it is sent again', async () => (await pending()) !== '0x0');
    await mine();
    expect((await ended()).outcome).toMatchObject({ received: ONE });
    running!.stop();
    await run;
  });

  it('says so when its nonce is taken after a reorg', async () => {
    const run = start(eth, wrapped, { swap: deposit(ONE), quoted: ONE });
    await sent();
    // The nonce first: what is forgotten before it would be taken back in.
    await node.call('anvil_setNonce', [wallet.address, '0x1']);
    await node.call('anvil_dropAllTransactions');
    await run;
    expect(running!.state.value).toMatchObject({ name: 'failed', trouble: expect.stringContaining('reorg') });
  });

  it('says so when the node refuses', async () => {
    await node.call('anvil_setBalance', [wallet.address, '0x0']);
    await start(eth, wrapped, { swap: deposit(ONE), quoted: ONE });
    expect(running!.state.value).toMatchObject({ name: 'failed', trouble: expect.stringMatching(/refuses: .*fund/i) });
  });

  it('notices that its block is replaced', async () => {
    await mine();
    const run = start(eth, wrapped, { swap: deposit(ONE), quoted: ONE });
    await sent();
    await mine();
    expect((await ended()).outcome).toMatchObject({ replaced: false });
    await node.call('anvil_rollback', [1]);
    await run;
    expect(running!.state.value).toMatchObject({ name: 'done', outcome: { replaced: true } });
  });
});
