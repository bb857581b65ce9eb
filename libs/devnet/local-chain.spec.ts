import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { decodeEventLog, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { AnvilRpc } from './anvil-rpc.js';
import { headerHash, logsBloom, receiptsRoot } from './block-hash.js';
import { swapConcentrated } from './concentrated-rules.js';
import { type ChainPool, type LocalChain, startLocalChain } from './local-chain.js';
import { type ConcentratedState, issue, MarketState } from './market-state.js';
import { OFFICIAL } from './official-addresses.js';
import { SeededRandom } from './random.js';
import { quantity, type RpcHeader, type RpcLog, type RpcReceipt, type RpcTransaction } from './rpc-shapes.js';
import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO } from './tick-math.js';

const HISTORY = 60;
const SEED = 4;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Block extends RpcHeader {
  transactions: RpcTransaction[];
}

interface ReadChain {
  blocks: Block[];
  receipts: RpcReceipt[][];
}

async function readAll(rpc: AnvilRpc): Promise<ReadChain> {
  const head = Number(await rpc.call<string>('eth_blockNumber'));
  const heights = Array.from({ length: head + 1 }, (_, height) => quantity(height));
  const blocks = await rpc.batch(heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [height, true] })));
  const receipts = await rpc.batch(heights.map((height) => ({ method: 'eth_getBlockReceipts', params: [height] })));
  return { blocks: blocks as Block[], receipts: receipts as RpcReceipt[][] };
}

const POOL_STATE = parseAbi([
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)',
  'function balanceOf(address) view returns (uint256)',
]);

/** A pool's whole state, read from the chain, in the builder's form. */
async function readConcentrated(
  rpc: AnvilRpc,
  pool: ChainPool,
): Promise<{ state: ConcentratedState; held0: bigint; held1: bigint }> {
  const abi = POOL_STATE;
  const to = pool.address;
  const balanceOf = encodeFunctionData({ abi, functionName: 'balanceOf', args: [to as Hex] });
  const lastWord = Math.floor(Math.floor(MAX_TICK / pool.tickSpacing) / 256);
  const words = Array.from({ length: 2 * lastWord + 2 }, (_, i) => i - lastWord - 1);
  const [slot0, liquidity, held0, held1] = await rpc.view([
    { to, data: encodeFunctionData({ abi, functionName: 'slot0' }) },
    { to, data: encodeFunctionData({ abi, functionName: 'liquidity' }) },
    { to: pool.token0, data: balanceOf },
    { to: pool.token1, data: balanceOf },
  ]);
  const bitmaps: (Hex | null)[] = [];
  for (let i = 0; i < words.length; i += 1000) {
    const part = words.slice(i, i + 1000);
    const calls = part.map((word) => encodeFunctionData({ abi, functionName: 'tickBitmap', args: [word] }));
    bitmaps.push(...(await rpc.view(calls.map((data) => ({ to, data })))));
  }
  const initialized: number[] = [];
  bitmaps.forEach((bitmap, i) => {
    const bits = BigInt(bitmap as Hex);
    for (let bit = 0; bits >> BigInt(bit) > 0n; bit++) {
      if ((bits >> BigInt(bit)) & 1n) initialized.push(((words[i] as number) * 256 + bit) * pool.tickSpacing);
    }
  });
  const raw = await rpc.view(
    initialized.map((tick) => ({ to, data: encodeFunctionData({ abi, functionName: 'ticks', args: [tick] }) })),
  );
  const ticks = new Map(
    raw.map((answer, i) => {
      const [gross, net] = decodeFunctionResult({ abi, functionName: 'ticks', data: answer as Hex });
      return [initialized[i] as number, { gross, net }];
    }),
  );
  const [sqrtPriceX96, tick] = decodeFunctionResult({ abi, functionName: 'slot0', data: slot0 as Hex });
  return {
    held0: BigInt(held0 as Hex),
    held1: BigInt(held1 as Hex),
    state: {
      kind: 'concentrated',
      factory: OFFICIAL.v3Factory,
      registered: true,
      address: pool.address,
      token0: pool.token0,
      token1: pool.token1,
      fee: pool.fee,
      tickSpacing: pool.tickSpacing,
      sqrtPriceX96,
      tick,
      liquidity: BigInt(liquidity as Hex),
      feeProtocol: 0,
      protocolFees0: 0n,
      protocolFees1: 0n,
      earned0: 0n,
      earned1: 0n,
      ticks,
      positions: new Map(),
    },
  };
}

/** Runs one swap by the builder's rules on a state of its own. Returns what left the pool and the price after. */
function swapAlone(
  { state, held0, held1 }: Awaited<ReturnType<typeof readConcentrated>>,
  zeroForOne: boolean,
  amountIn: bigint,
  limit: bigint,
): { delta: bigint; after: bigint } {
  const market = MarketState.empty();
  const run = { state: market, logs: [], timestamp: 0 };
  const trader = `0x${'ee'.repeat(20)}`;
  for (const [address, held] of [
    [state.token0, held0],
    [state.token1, held1],
  ] as const) {
    market.addToken({ address, name: '', symbol: '', decimals: 0, behaviour: 'standard', usd: 0 });
    issue(run, address, state.address, held);
    issue(run, address, trader, amountIn);
  }
  market.addPool({ ...state });
  const { amount0, amount1 } = swapConcentrated(
    run,
    state.address,
    trader,
    trader,
    trader,
    zeroForOne,
    amountIn,
    limit,
  );
  return { delta: zeroForOne ? amount1 : amount0, after: market.concentrated(state.address).sqrtPriceX96 };
}

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
  }, 240_000);

  afterAll(async () => {
    await rpc.close();
    await chain.stop();
    await rm(dataDir, { recursive: true });
  }, 60_000);

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
    expect(compared).toBe(13 * 12);
    expect(crossed).toBeGreaterThan(10);
  }, 120_000);

  test('a reorg replaces blocks, never more than six, and the chain goes on', async () => {
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

  test('blocks come by themselves after resume(), and none after pause()', async () => {
    const height = async () => Number(await rpc.call<string>('eth_blockNumber'));
    const before = await height();
    chain.resume();
    while ((await height()) < before + 2) await new Promise((resolve) => setTimeout(resolve, 100));
    await chain.pause();
    const paused = await height();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await height()).toBe(paused);
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
  }, 120_000);
});

test('a port in use is said plainly', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as { port: number };
    await expect(startLocalChain({ chain: 'eth', dataDir, port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(`port ${port}`),
    });
  } finally {
    await new Promise((resolve) => other.close(resolve));
    await rm(dataDir, { recursive: true });
  }
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that nobody has waited for yet has ended.
  if (process.platform !== 'linux') return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('kill -9 of the program leaves no anvil, and the next start resumes the chain', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
  const main = join(ROOT, 'dist/libs/devnet/local-chain-main.js');
  const run = async () => {
    const args = [main, '--data', dataDir, '--history', '5', '--block-time', '50', '--no-reorgs'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const exited = new Promise<string>((resolve) => {
      child.once('close', (code, signal) => resolve(`${signal ?? code}${code === 0 ? '' : `: ${told}`}`));
    });
    for await (const line of createInterface({ input: child.stdout })) {
      return { child, exited, ready: JSON.parse(line) as { rpcUrl: string; genesisHash: string; nodePid: number } };
    }
    throw new Error(`the program ended before it was ready: ${await exited}`);
  };
  try {
    const first = await run();
    const rpc = new AnvilRpc(first.ready.rpcUrl);
    const start = Number(await rpc.call<string>('eth_blockNumber'));
    let head = start;
    while (head < start + 5) head = Number(await rpc.call<string>('eth_blockNumber'));
    const block = await rpc.call<RpcHeader>('eth_getBlockByNumber', [quantity(head), false]);
    await rpc.close();
    expect(alive(first.ready.nodePid)).toBe(true);
    first.child.kill('SIGKILL');
    expect(await first.exited).toMatch(/^SIGKILL/);
    while (alive(first.ready.nodePid)) await new Promise((resolve) => setTimeout(resolve, 50));

    const second = await run();
    const again = new AnvilRpc(second.ready.rpcUrl);
    try {
      expect(second.ready.genesisHash).toBe(first.ready.genesisHash);
      // anvil wrote its state when it was told to end: nothing of what anybody saw is lost.
      const same = await again.call<RpcHeader>('eth_getBlockByNumber', [quantity(head), false]);
      expect(same.hash).toBe(block.hash);
    } finally {
      await again.close();
      second.child.kill('SIGTERM');
    }
    expect(await second.exited).toBe('0');
    expect(alive(second.ready.nodePid)).toBe(false);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}, 240_000);
