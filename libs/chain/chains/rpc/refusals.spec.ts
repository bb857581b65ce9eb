import { readFileSync } from 'node:fs';
import { type NodeFamily, readRefusal } from './refusals.js';
import type { RpcErrorKind } from './rpc-error.js';

interface Row {
  family: NodeFamily | 'both';
  /** The provider or node program that says it. */
  from: string;
  status: number;
  code: number | null;
  message: string;
  about: keyof typeof KINDS;
  /** Another reading that does no harm, where the words leave it open. */
  or?: keyof typeof KINDS;
}

/**
 * What each meaning may be read as: all of them are answered in the same way. A sentence in a language that is not read is
 * the node's own trouble, which every large question is tried smaller after.
 */
const KINDS = {
  size: ['too-large', 'unanswered'],
  range: ['too-large'],
  list: ['list-too-long', 'too-large'],
  rate: ['rate-limited'],
  plan: ['plan', 'pruned', 'method-missing'],
  quota: ['quota'],
  key: ['key'],
  method: ['method-missing', 'plan', 'unknown-block'],
  pruned: ['pruned', 'plan'],
  head: ['head-not-reached', 'unknown-block'],
  health: ['server', 'unanswered'],
  question: ['bad-params', 'too-large'],
  reverted: ['reverted'],
  'unknown-block': ['unknown-block'],
} as const satisfies Record<string, readonly RpcErrorKind[]>;

const rows = JSON.parse(readFileSync(new URL('./fixtures/refusals.json', import.meta.url), 'utf8')) as Row[];
const families = (family: Row['family']): NodeFamily[] => (family === 'both' ? ['evm', 'solana'] : [family]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sentences that are not in English letters
const isForeign = ({ message }: Row): boolean => /[^\u0000-\u007f]/.test(message) || /consulta abarca/.test(message);

describe('refusals of nodes', () => {
  test.each(rows.flatMap((row) => families(row.family).map((family) => ({ ...row, family }))))(
    '$from: $status $code $message',
    ({ family, status, code, message, about, or = about, from }) => {
      const kind = readRefusal(family, { status, code, message });
      const foreign: readonly RpcErrorKind[] = isForeign({ family, status, code, message, about, from })
        ? ['server']
        : [];
      const allowed: readonly RpcErrorKind[] = [...KINDS[about], ...KINDS[or], ...foreign];
      expect({ message, allowed, kind: allowed.includes(kind) ? 'allowed' : kind }).toEqual({
        message,
        allowed,
        kind: 'allowed',
      });
    },
  );

  it('lets the sentence decide over the code and the status', () => {
    const read = (status: number, code: number | null, message: string) =>
      readRefusal('solana', { status, code, message });
    expect(read(200, -32007, 'Slot 5 was skipped, or missing due to ledger jump to recent snapshot')).toBe(
      'unknown-block',
    );
    expect(read(200, -32007, '8/second request limit reached - reduce calls per second')).toBe('rate-limited');
    expect(read(429, null, 'batch of 100 is more than the allowed 10')).toBe('list-too-long');
    expect(read(429, null, '')).toBe('rate-limited');
    const height = 'BlockOutOfRangeError: block height is 10 but requested was 20';
    expect(readRefusal('evm', { status: 200, code: -32602, message: height })).toBe('unknown-block');
  });

  const METHODS = [
    ...['eth_call', 'eth_callMany', 'eth_getLogs', 'eth_getBlockReceipts', 'eth_getTransactionReceipt', 'eth_getProof'],
    ...['eth_getTransactionCount', 'eth_estimateGas', 'eth_maxPriorityFeePerGas', 'eth_feeHistory', 'eth_blobBaseFee'],
    ...['eth_createAccessList', 'eth_simulateV1', 'debug_traceCall', 'trace_block', 'txpool_content', 'net_peerCount'],
    ...['getBlocks', 'getBlocksWithLimit', 'getTransactionCount', 'getRecentPerformanceSamples', 'getTokenSupply'],
    ...['getFirstAvailableBlock', 'getMaxRetransmitSlot', 'requestAirdrop', 'getBlockProduction', 'minimumLedgerSlot'],
  ];
  it.each(METHODS)('takes no word for a meaning that is a part of a method: %s', (method) => {
    const sentences = [
      `the method ${method} does not exist/is not available`,
      `The method '${method}' is not supported.`,
      `Method ${method} not found`,
      `Unknown method: ${method}`,
    ];
    for (const message of sentences)
      for (const family of ['evm', 'solana'] as const)
        expect({ message, kind: readRefusal(family, { status: 200, code: -32601, message }) }).toEqual({
          message,
          kind: 'method-missing',
        });
  });
});
