import { decodeFunctionData, encodeAbiParameters, encodeFunctionResult, parseAbi } from 'viem';
import { decodeAggregate3, encodeAggregate3 } from './contract-reader.js';
import { decodeMetadata, decodeText, metadataCalls } from './erc20/metadata.js';

const multicall = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
]);
const hex = (text: string): `0x${string}` => `0x${Buffer.from(text, 'latin1').toString('hex')}`;
const abiString = (text: string): string => encodeAbiParameters([{ type: 'string' }], [text]).slice(2);
const abiBytes = (bytes: `0x${string}`): string => encodeAbiParameters([{ type: 'bytes' }], [bytes]).slice(2);
const uint = (value: bigint): string => encodeAbiParameters([{ type: 'uint256' }], [value]).slice(2);

describe('multicall3', () => {
  it('encodes calls that viem reads back', () => {
    const calls = [
      { to: 'ab'.repeat(20), data: '313ce567' },
      { to: '01'.repeat(20), data: `70a08231${'0'.repeat(64)}` },
      { to: '02'.repeat(20), data: '' },
      { to: '03'.repeat(20), data: 'ff'.repeat(64) },
    ];
    const { args } = decodeFunctionData({ abi: multicall, data: `0x${encodeAggregate3(calls)}` });
    expect(
      (args![0] as { target: string; allowFailure: boolean; callData: string }[]).map((call) => ({
        ...call,
        target: call.target.toLowerCase(),
      })),
    ).toEqual(calls.map(({ to, data }) => ({ target: `0x${to}`, allowFailure: true, callData: `0x${data}` })));
  });

  it('decodes what viem encodes and refuses anything else', () => {
    const result = [
      { success: true, returnData: hex('a'.repeat(40)) },
      { success: false, returnData: '0x' as const },
      { success: true, returnData: '0x' as const },
      { success: false, returnData: hex('reason') },
    ];
    const data = encodeFunctionResult({ abi: multicall, functionName: 'aggregate3', result }).slice(2);
    expect(decodeAggregate3(data, 4)).toEqual([hex('a'.repeat(40)).slice(2), null, '', null]);
    expect(decodeAggregate3(data, 3)).toBeNull();
    expect(decodeAggregate3('', 1)).toBeNull();
    for (let cut = 64; cut < data.length - 64; cut += 64) {
      const answer = decodeAggregate3(data.slice(0, cut), 4);
      expect(answer === null || answer.length === 4).toBe(true);
    }
    expect(decodeAggregate3('f'.repeat(data.length), 4)).toBeNull();
  });
});

describe('token metadata', () => {
  const token = 'aa'.repeat(20);
  const decode = (answers: (string | null)[]) => decodeMetadata(token, answers);

  it('asks four questions and reads the common answers', () => {
    expect(metadataCalls(token).map((call) => call.data)).toEqual(['313ce567', '95d89b41', '06fdde03', '18160ddd']);
    expect(decode([uint(6n), abiString('USDC'), abiString('USD Coin'), uint(10n ** 15n)])).toEqual({
      token,
      decimals: 6,
      symbol: 'USDC',
      name: 'USD Coin',
      totalSupply: 10n ** 15n,
    });
  });

  it('takes a revert, nothing and the absurd for null', () => {
    const nothing = { token, decimals: null, symbol: null, name: null, totalSupply: null };
    expect(decode([null, null, null, null])).toEqual(nothing);
    expect(decode(['', '', '', ''])).toEqual(nothing);
    expect(decode(['12', 'ff', 'ab'.repeat(31), '00'])).toEqual(nothing);
    expect(decode([uint(37n), null, null, null]).decimals).toBeNull();
    expect(decode([uint(36n), null, null, null]).decimals).toBe(36);
    expect(decode([uint(2n ** 256n - 1n), null, null, uint(2n ** 256n - 1n)])).toMatchObject({
      decimals: null,
      totalSupply: 2n ** 256n - 1n,
    });
  });

  it.each([
    ['bytes32', Buffer.from('MKR').toString('hex').padEnd(64, '0'), 'MKR'],
    ['a full bytes32', Buffer.from('x'.repeat(32)).toString('hex'), 'x'.repeat(32)],
    ['an empty bytes32', '0'.repeat(64), null],
    ['an empty string', abiString(''), null],
    ['blanks only', abiString('  \t '), null],
    ['invalid UTF-8', abiBytes('0xff8003c0af'), null],
    ['invalid UTF-8 in bytes32', 'ff80'.padEnd(64, '0'), null],
    ['control characters', abiString('A\u0000B\u0007C\n'), 'ABC'],
    ['direction overrides and zero-width characters', abiString('US\u202eD\u200bC\ufeff'), 'USDC'],
    ['other scripts', abiString('以太坊🚀'), '以太坊🚀'],
    ['a very long text', abiString('y'.repeat(5000)), 'y'.repeat(64)],
    ['an offset beyond the end', uint(2n ** 200n) + uint(1n), null],
    ['a length beyond the end', uint(32n) + uint(1000n) + 'aa'.repeat(32), null],
    ['a huge length', uint(32n) + uint(2n ** 255n), null],
  ])('%s', (_, data, expected) => {
    expect(decodeText(data, 64)).toBe(expected);
  });

  it('never cuts a character in two', () => {
    expect(decodeText(abiString('🚀'.repeat(100)), 64)).toBe('🚀'.repeat(64));
  });
});
