import { type Abi, decodeErrorResult, type Hex as Prefixed, parseAbi } from 'viem';
import type { Hex } from '#libs/core/ids.js';

/** Custom errors that tokens and routers of today throw; Error(string) and Panic(uint256) belong to the language. */
const KNOWN = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error EnforcedPause()',
  'error OwnableUnauthorizedAccount(address account)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 role)',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error FailedInnerCall()',
  'error InsufficientBalance()',
  'error InsufficientAllowance()',
  'error TransferFailed()',
  'error TransferFromFailed()',
  'error ReentrancyGuardReentrantCall()',
]);
const PANICS: Record<number, string> = {
  1: 'assertion failed',
  17: 'arithmetic overflow or underflow',
  18: 'division by zero',
  50: 'index out of bounds',
  65: 'out of memory',
};
const MAX_TEXT = 200;

/**
 * Writes revert data in words; `others` are further errors that the caller knows. The text comes from the contract: it is
 * cut, and only printable characters are kept.
 */
export function revertText(data: Hex, others: Abi = []): string {
  if (data === '') return 'reverted without a reason';
  if (data.length < 8) return `reverted with 0x${data}`;
  try {
    const { errorName, args } = decodeErrorResult({ abi: [...KNOWN, ...others] as Abi, data: `0x${data}` as Prefixed });
    if (errorName === 'Error') return printable(String(args?.[0] ?? '')) || 'reverted without a reason';
    if (errorName === 'Panic') {
      const code = Number(args?.[0] ?? 0);
      return `Panic(${code}): ${PANICS[code] ?? 'a failed check of the compiler'}`;
    }
    return printable(`${errorName}(${(args ?? []).map(String).join(', ')})`);
  } catch {
    return `custom error 0x${data.slice(0, 8)}`;
  }
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_TEXT);
}
