import { encodeErrorResult, parseAbi } from 'viem';
import { revertText } from './revert-text.js';

const ABI = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error Unheard(uint256)',
]);
const data = (errorName: string, args: readonly unknown[]): string =>
  encodeErrorResult({ abi: ABI, errorName, args } as never).slice(2);

describe('revert data in words', () => {
  it.each([
    [data('Error', ['UniswapV2Router: EXPIRED']), 'UniswapV2Router: EXPIRED'],
    [data('Error', ['']), 'reverted without a reason'],
    ['', 'reverted without a reason'],
    [data('Panic', [17n]), 'Panic(17): arithmetic overflow or underflow'],
    [data('Panic', [99n]), 'Panic(99): a failed check of the compiler'],
    [
      data('ERC20InsufficientBalance', [`0x${'ab'.repeat(20)}`, 1n, 2n]),
      expect.stringMatching(/^ERC20InsufficientBalance\(0x[0-9a-fA-F]{40}, 1, 2\)$/),
    ],
    [data('Unheard', [1n]), `custom error 0x${data('Unheard', [1n]).slice(0, 8)}`],
    ['08c379a0', 'custom error 0x08c379a0'],
    [`08c379a0${'f'.repeat(128)}`, 'custom error 0x08c379a0'],
    ['abcd', 'reverted with 0xabcd'],
  ])('%s', (bytes, text) => {
    expect(revertText(bytes)).toEqual(text);
  });

  it('stays short and printable whatever a token says', () => {
    const text = revertText(data('Error', [`\u0000\u001b[31mé${'x'.repeat(5_000)}`]));
    expect(text).toMatch(/^[\x20-\x7e]{1,200}$/);
  });
});
