import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeEventLog, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO } from '#libs/chain/amm/tick-math.js';
import { headerHash, logsBloom, receiptsRoot } from '#libs/devkit/chain-builder/block-hash.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { quantityText, type RpcLog } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { AnvilRpc } from './anvil-rpc.js';
import { type LocalChain, startLocalChain } from './local-chain.js';
import { readConcentrated, swapAlone } from './test/genuine-pool.js';
import { LocalWallet } from './test/local-wallet.js';
import { readAll } from './test/read-chain.js';

const HISTORY = 60;
const SEED = 4;

const SWAPS = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
]);

describe('a local chain', () => {
  let dataDir: string;
  let chain: LocalChain;
  let rpc: AnvilRpc;
  const phases = new Set<string>();

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
    chain = await startLocalChain({
      chain: 'eth',
      dataDir,
      seed: SEED,
      historyBlocks: HISTORY,
      autoMine: false,
      onProgress: ({ phase }) => phases.add(phase),
    });
    rpc = new AnvilRpc(chain.rpcUrl);
  });

  afterAll(async () => {
    await rpc.close();
    await chain.stop();
    await removeFolder(dataDir);
  });

  test('reports its progress and is mainnet by its id', async () => {
    expect([...phases]).toEqual(['setup', 'history', 'ready']);
    expect(Number(await rpc.call('eth_chainId'))).toBe(1);
    expect(chain.resumed).toBe(false);
  });

  test('genuine code stands at the official addresses', async () => {
    const require = createRequire(import.meta.url);
    const cases: [string, string][] = [
      [OFFICIAL.v2Factory, '@uniswap/v2-core/build/UniswapV2Factory.json'],
      [OFFICIAL.v2Router, '@uniswap/v2-periphery/build/UniswapV2Router02.json'],
      [OFFICIAL.weth, '@uniswap/v2-periphery/build/WETH9.json'],
      [OFFICIAL.v3Factory, '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'],
      [OFFICIAL.swapRouter02, '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json'],
      [OFFICIAL.quoterV2, '@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'],
    ];
    for (const [address, path] of cases) {
      const artifact = JSON.parse(readFileSync(require.resolve(path), 'utf8'));
      const expected = (artifact.evm?.deployedBytecode?.object ?? artifact.deployedBytecode).replace(/^0x/, '');
      const code = (await rpc.call<string>('eth_getCode', [address, 'latest'])).slice(2);
      expect([address, code.length]).toEqual([address, expected.length]);
      // Immutables are zero in the artifact; everything else is equal to the byte.
      let filled = 0;
      for (let i = 0; i < code.length; i += 2) {
        if (code.slice(i, i + 2) === expected.slice(i, i + 2)) continue;
        expect(expected.slice(i, i + 2)).toBe('00');
        filled++;
      }
      expect(filled).toBeLessThan(54 * 20 + 1);
    }
  });

  test('every block holds: links, hashes, roots, blooms, and times that ascend to now', async () => {
    const { blocks, receipts } = await readAll(rpc);
    expect(blocks.length).toBeGreaterThan(HISTORY);
    blocks.forEach((block, height) => {
      const own = receipts[height] ?? [];
      expect(`0x${headerHash(block)}`).toBe(block.hash);
      expect(`0x${receiptsRoot(own)}`).toBe(block.receiptsRoot);
      expect(`0x${logsBloom(own.flatMap(({ logs }) => logs))}`).toBe(block.logsBloom);
      if (height === 0) return;
      expect(block.parentHash).toBe(blocks[height - 1]?.hash);
      expect(Number(block.timestamp)).toBeGreaterThan(Number(blocks[height - 1]?.timestamp));
    });
    expect(blocks[0]?.hash).toBe(chain.genesisHash);
    const span = Number(blocks[blocks.length - 1]?.timestamp) - Number(blocks[0]?.timestamp);
    expect(span).toBeGreaterThan(5 * 3600);
  });

  test('trades counted from receipts are those that the log query finds, and look like a market', async () => {
    for (let i = 0; i < 10; i++) await chain.mine();
    const { blocks, receipts } = await readAll(rpc);
    const pools = new Map(chain.pools.map((pool) => [pool.address, pool]));
    const counted: Record<string, number> = { v2: 0, v3: 0 };
    const senders = new Set<string>();
    let otherRecipient = 0;
    let failed = 0;
    blocks.forEach(({ transactions }, height) => {
      transactions.forEach(({ from }, index) => {
        const receipt = receipts[height]?.[index];
        if (!receipt) throw new Error(`no receipt ${index} of block ${height}`);
        if (receipt.status !== '0x1') failed++;
        expect(receipt.from).toBe(from);
        for (const log of receipt.logs) {
          const version = pools.get(log.address)?.version;
          if (!version) continue;
          let decoded: { args: { to?: string; recipient?: string } };
          try {
            const topics = log.topics as [Hex, ...Hex[]];
            decoded = decodeEventLog({ abi: SWAPS, topics, data: log.data as Hex, strict: true });
          } catch {
            continue; // another event of the pool
          }
          counted[version] = (counted[version] ?? 0) + 1;
          senders.add(from);
          const recipient = (decoded.args.to ?? decoded.args.recipient)?.toLowerCase();
          if (recipient !== from) otherRecipient++;
        }
      });
    });
    const topics = {
      v2: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
      v3: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
    };
    for (const version of ['v2', 'v3'] as const) {
      const filter = { fromBlock: '0x0', toBlock: 'latest', topics: [topics[version]] };
      const logs = await rpc.call<RpcLog[]>('eth_getLogs', [filter]);
      expect(logs.every(({ address }) => pools.get(address)?.version === version)).toBe(true);
      expect(logs.length).toBe(counted[version]);
      expect(logs.length).toBeGreaterThan(20);
    }
    expect(senders.size).toBeGreaterThan(20);
    expect(otherRecipient).toBeGreaterThan(0);
    expect(failed).toBeLessThan(20);
  });

  test('quoter, multicall3 and odd metadata work', async () => {
    const abi = parseAbi([
      'struct Quote { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
      'function quoteExactInputSingle(Quote params) returns (uint256, uint160, uint32, uint256)',
      'function symbol() view returns (bytes32)',
    ]);
    const params = {
      tokenIn: OFFICIAL.weth,
      tokenOut: OFFICIAL.usdc,
      amountIn: 10n ** 18n,
      fee: 500,
      sqrtPriceLimitX96: 0n,
    } as const;
    const anchor = chain.tokens.find(({ symbol }) => symbol === 'ANC');
    const [quote, symbol, decimals] = await rpc.view([
      {
        to: OFFICIAL.quoterV2,
        data: encodeFunctionData({ abi, functionName: 'quoteExactInputSingle', args: [params] }),
      },
      { to: anchor?.address ?? '', data: encodeFunctionData({ abi, functionName: 'symbol' }) },
      { to: OFFICIAL.usdt, data: '0x313ce567' },
    ]);
    const [out] = decodeFunctionResult({ abi, functionName: 'quoteExactInputSingle', data: quote as Hex });
    // A whole ether for a few thousand dollars: the market is where it was planned.
    expect(Number(out) / 1e6).toBeGreaterThan(2000);
    expect(Number(out) / 1e6).toBeLessThan(5000);
    expect(
      Buffer.from((symbol as string).slice(2), 'hex')
        .toString('utf8')
        .replace(/\0+$/, ''),
    ).toBe('ANC');
    expect(Number(decimals)).toBe(6);
    expect(chain.tokens.filter(({ taxed }) => taxed)).toHaveLength(1);
  });

  test('the rules of the chain builder equal the genuine V3 contract, to the base unit', async () => {
    const abi = parseAbi([
      'struct Quote { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
      'function quoteExactInputSingle(Quote params) returns (uint256, uint160, uint32, uint256)',
    ]);
    const random = new SeededRandom(SEED);
    let compared = 0;
    let crossed = 0;
    for (const pool of chain.pools.filter(({ version }) => version === 'v3')) {
      const state = await readConcentrated(rpc, pool);
      for (let i = 0; i < 12; i++) {
        const zeroForOne = i % 2 === 0;
        const amountIn = random.fraction(zeroForOne ? state.held0 : state.held1, 1e-6, 4) + 1n;
        const [tokenIn, tokenOut] = (zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]) as [
          Hex,
          Hex,
        ];
        const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
        const { delta, after } = swapAlone(state, zeroForOne, amountIn, limit);
        const args = [{ tokenIn, tokenOut, amountIn, fee: pool.fee, sqrtPriceLimitX96: limit }] as const;
        const data = encodeFunctionData({ abi, functionName: 'quoteExactInputSingle', args });
        const [answer] = await rpc.view([{ to: OFFICIAL.quoterV2, data }]);
        const [out, price, ticks] = decodeFunctionResult({
          abi,
          functionName: 'quoteExactInputSingle',
          data: answer as Hex,
        });
        expect({ seed: SEED, pool: pool.address, amountIn, out: -delta, price: after }).toEqual({
          seed: SEED,
          pool: pool.address,
          amountIn,
          out,
          price,
        });
        compared++;
        crossed += ticks;
      }
    }
    expect(compared).toBe(14 * 12);
    expect(crossed).toBeGreaterThan(10);
  });

  test('a reorg replaces blocks, never more than six, and the chain continues', async () => {
    for (let i = 0; i < 4; i++) await chain.mine();
    for (const depth of [1, 3, 6]) {
      const before = await readAll(rpc);
      await chain.reorg(depth);
      await chain.mine();
      const after = await readAll(rpc);
      const fork = before.blocks.length - depth;
      expect(after.blocks.length).toBe(before.blocks.length + 1);
      expect(after.blocks.slice(0, fork)).toEqual(before.blocks.slice(0, fork));
      for (let height = fork; height < before.blocks.length; height++) {
        expect(after.blocks[height]?.hash).not.toBe(before.blocks[height]?.hash);
        expect(after.blocks[height]?.parentHash).toBe(after.blocks[height - 1]?.hash);
        const old = await rpc.call('eth_getBlockByHash', [before.blocks[height]?.hash, false]);
        expect(old).toBeNull();
      }
    }
    await expect(chain.reorg(7)).rejects.toThrow('1 to 6 blocks deep');
    await expect(chain.reorg(0)).rejects.toThrow(RangeError);
  });

  test('a transaction whose money a reorg takes away is left out, and the chain continues', async () => {
    const wallet = new LocalWallet(chain, 'poor');
    await rpc.call('anvil_setBalance', [wallet.address, quantityText(10n ** 18n)]);
    const { status, transactionHash } = await wallet.run(OFFICIAL.weth, '0xd0e30db0', 1n);
    expect(status).toBe('0x1');
    await chain.mine();
    const height = Number(await rpc.call<string>('eth_blockNumber'));
    await chain.reorg(3);
    expect(Number(await rpc.call<string>('eth_blockNumber'))).toBe(height);
    expect(await wallet.coins()).toBe(0n);
    expect(await rpc.call('eth_getTransactionReceipt', [transactionHash])).toBeNull();
    await chain.mine();
  });

  test('blocks come by themselves after resume(), and none after pause()', async () => {
    const height = async () => Number(await rpc.call<string>('eth_blockNumber'));
    const before = await height();
    chain.resume();
    await until('two blocks', async () => (await height()) >= before + 2, { everyMs: 100 });
    await chain.pause();
    const paused = await height();
    await chain.mine();
    expect(await height()).toBe(paused + 1);
  });

  test('a restart resumes the same chain: every block, receipt and log', async () => {
    const before = await readAll(rpc);
    const filter = [{ fromBlock: '0x0', toBlock: 'latest' }];
    const logs = await rpc.call('eth_getLogs', filter);
    await chain.stop();
    await rpc.close();
    chain = await startLocalChain({ chain: 'eth', dataDir, autoMine: false });
    rpc = new AnvilRpc(chain.rpcUrl);
    expect(chain.resumed).toBe(true);
    expect(chain.genesisHash).toBe(before.blocks[0]?.hash);
    expect(await readAll(rpc)).toEqual(before);
    expect(await rpc.call('eth_getLogs', filter)).toEqual(logs);
    await chain.mine();
    expect(Number(await rpc.call('eth_blockNumber'))).toBe(before.blocks.length);
  });
});
