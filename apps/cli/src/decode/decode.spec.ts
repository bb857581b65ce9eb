import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeEventLog, parseAbi } from 'viem';
import { type DecodedSwap, decodeDocument } from './decode-document.js';
import { NotATransactionError } from './documents.js';
import { runDecode } from './run-decode.js';

interface Fixture {
  name: string;
  chainId: number;
  receipt: { transactionHash: string; logs: { address: string; topics: string[]; data: string; logIndex: string }[] };
}

const fixtures: Fixture[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/receipts.json.gz'))).toString(),
);

const v2 = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
]);
const v3 = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
]);
const solidly = parseAbi([
  'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
]);
const v4 = parseAbi([
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
]);
const pancakeV3 = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
]);

/** The same question answered by viem's generic ABI decoder. */
function viemSwaps(receipt: Fixture['receipt']): DecodedSwap[] {
  const swaps: DecodedSwap[] = [];
  for (const log of receipt.logs) {
    const input = { topics: log.topics as [`0x${string}`], data: log.data as `0x${string}` };
    const base = { pool: log.address.toLowerCase(), logIndex: Number(log.logIndex) };
    for (const [protocol, abi] of [
      ['v2', v2],
      ['solidly', solidly],
    ] as [string, typeof v2][]) {
      try {
        const args = decodeEventLog({ abi, eventName: 'Swap', ...input }).args!;
        swaps.push({
          ...{ kind: 'swap', protocol, ...base },
          amount0: (args.amount0In - args.amount0Out).toString(),
          amount1: (args.amount1In - args.amount1Out).toString(),
          sender: args.sender.toLowerCase(),
          recipient: args.to.toLowerCase(),
        });
      } catch {}
    }
    try {
      const args = decodeEventLog({ abi: v4, eventName: 'Swap', ...input }).args!;
      const sender = args.sender.toLowerCase();
      swaps.push({
        ...{ kind: 'swap', protocol: 'v4', logIndex: base.logIndex, pool: args.id, sender, recipient: sender },
        ...{ amount0: (-args.amount0).toString(), amount1: (-args.amount1).toString() },
      });
    } catch {}
    for (const abi of [v3, pancakeV3] as (typeof v3)[]) {
      try {
        const args = decodeEventLog({ abi, eventName: 'Swap', ...input }).args!;
        swaps.push({
          kind: 'swap',
          protocol: 'v3',
          ...base,
          amount0: args.amount0.toString(),
          amount1: args.amount1.toString(),
          sender: args.sender.toLowerCase(),
          recipient: args.recipient.toLowerCase(),
        });
      } catch {}
    }
  }
  return swaps;
}

describe('decodeDocument', () => {
  it('finds exactly the swaps of 144 real receipts that viem finds', () => {
    expect(fixtures).toHaveLength(144);
    let swaps = 0;
    for (const { name, receipt } of fixtures) {
      const decoded = decodeDocument(receipt).lines;
      expect({ name, decoded }).toEqual({ name, decoded: viemSwaps(receipt) });
      const kinds = name.split('_')[1]!.split('-');
      if (kinds.some((kind) => ['V2Swap', 'V3Swap', 'PancakeV3Swap', 'SolidlyV2Swap', 'V4Swap'].includes(kind))) {
        expect({ name, count: decoded.length }).not.toEqual({ name, count: 0 });
      } else {
        expect({ name, decoded }).toEqual({ name, decoded: [] });
      }
      swaps += decoded.length;
    }
    expect(swaps).toBeGreaterThan(144);
  });

  it('reads every documented container alike', () => {
    const { receipt } = fixtures.find((fixture) => fixture.name.includes('V2Swap-V3Swap'))!;
    const expected = viemSwaps(receipt);
    expect(expected.length).toBeGreaterThan(1);
    const containers: unknown[] = [
      receipt,
      [receipt],
      { tx: { hash: receipt.transactionHash }, receipt },
      { transaction: {}, receipt },
      { number: '0x1', transactions: [receipt.transactionHash], receipts: [receipt] },
      { number: '0x1', transactions: [{ hash: receipt.transactionHash, receipt }] },
      { block: {}, receipts: [receipt] },
      { jsonrpc: '2.0', id: 1, result: receipt },
      [{ jsonrpc: '2.0', id: 1, result: [receipt] }],
      { jsonrpc: '2.0', id: 1, result: { receipts: [receipt] } },
      { ...receipt, logs: receipt.logs.map((log) => ({ ...log, logIndex: Number(log.logIndex) })) },
    ];
    for (const container of containers) expect(decodeDocument(container).lines).toEqual(expected);
    expect(decodeDocument([receipt, { tx: {}, receipt }]).lines).toEqual([...expected, ...expected]);
  });

  it('decodes nothing from a transaction without EVM swaps, and refuses what is none', () => {
    const message = { accountKeys: ['11111111111111111111111111111111'], instructions: [] };
    const solana = { slot: 1, blockTime: 1, version: 0, meta: { err: null }, transaction: { signatures: [], message } };
    for (const silent of [[], { logs: [] }, solana, { jsonrpc: '2.0', id: 1, result: solana }]) {
      expect(decodeDocument(silent)).toEqual({ lines: [], undecoded: [] });
    }
    let nested: unknown = fixtures[0]!.receipt;
    for (let i = 0; i < 50_000; i++) nested = [nested];
    const wrong: unknown[] = [
      null,
      1,
      'text',
      true,
      {},
      { hello: 1 },
      [1],
      nested,
      { jsonrpc: '2.0', id: 1, result: null },
      { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'boom' } },
      { transactions: ['0xabc'] },
      { logs: [1] },
      { logs: [{ address: '0x1', topics: [], data: '0x', logIndex: 0 }] },
      { logs: [{ address: `0x${'a'.repeat(40)}`, topics: ['0x1'], data: '0x', logIndex: 0 }] },
      { logs: [{ address: `0x${'a'.repeat(40)}`, topics: [], data: 'zz', logIndex: 0 }] },
      { logs: [{ address: `0x${'a'.repeat(40)}`, topics: [], data: '0x' }] },
    ];
    for (const document of wrong) expect(() => decodeDocument(document)).toThrow(NotATransactionError);
  });
});

describe('runDecode', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-decode-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  async function run(args: string[], stdin = ''): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const code = await runDecode(args, {
      stdin: (async function* () {
        yield Buffer.from(stdin);
      })(),
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    });
    return { code, out, err };
  }

  it('prints one JSON line per swap and nothing else', async () => {
    const { receipt } = fixtures.find((fixture) => fixture.name.includes('PancakeV3Swap-V2Swap'))!;
    const file = join(dir, 'receipt.json');
    await writeFile(file, `\ufeff${JSON.stringify(receipt)}`);
    const fromFile = await run([file]);
    expect(fromFile).toMatchObject({ code: 0, err: '' });
    const lines = fromFile.out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(viemSwaps(receipt));
    expect(Object.keys(JSON.parse(lines[0]!))).toEqual([
      'kind',
      'protocol',
      'pool',
      'logIndex',
      'amount0',
      'amount1',
      'sender',
      'recipient',
    ]);
    expect(await run(['-'], JSON.stringify(receipt))).toEqual(fromFile);
  });

  it('exits 0 in silence where nothing decodes', async () => {
    const { receipt } = fixtures.find((fixture) => fixture.name.split('_')[1] === 'V2Burn')!;
    expect(await run(['-'], JSON.stringify(receipt))).toEqual({ code: 0, out: '', err: '' });
  });

  it('exits 1 with a message for what is not JSON, not a transaction or not there, and still reads the rest', async () => {
    expect(await run(['-'], '{"a":')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('not JSON') });
    expect(await run(['-'], '')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('not JSON') });
    expect(await run(['-'], '{"a":1}')).toMatchObject({ code: 1, err: expect.stringContaining('not a transaction') });
    expect(await run([join(dir, 'none')])).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') });
    expect(await run([dir])).toMatchObject({ code: 1, err: expect.stringContaining('EISDIR') });
    expect(await run([])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('usage') });
    expect(await run(['--wat'])).toMatchObject({ code: 1, err: expect.stringContaining('--wat') });
    expect(await run(['--help'])).toMatchObject({ code: 0, err: '', out: expect.stringContaining('usage') });
    const { receipt } = fixtures.find((fixture) => fixture.name.includes('V2Swap-V3Swap'))!;
    const mixed = await run([join(dir, 'none'), '-'], JSON.stringify(receipt));
    expect(mixed.code).toBe(1);
    expect(mixed.out.trimEnd().split('\n')).toHaveLength(viemSwaps(receipt).length);
  });
});
