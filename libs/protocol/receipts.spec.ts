import { UndecodableError } from '#libs/core/errors.js';
import { decodeReceipt, encodeReceipt } from './receipt-codec.js';
import { differenceHundredths, isLater, type QuoteReceipt, receiptDifference } from './receipts.js';

const MOST = 2n ** 256n - 1n;
const executed: QuoteReceipt = {
  account: 'acme',
  ...{ id: '5f0c2a1e-3d39-4f7e-8b3b-0d8f5d6f3a11', quoteId: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d', chain: 'eth' },
  ...{ wallet: 'a'.repeat(40), recipient: 'b'.repeat(40), inputMint: 'e'.repeat(40), outputMint: 'c'.repeat(40) },
  ...{ exact: 'in', inAmount: MOST, quotedOut: 1_000_000n, simulatedIn: MOST, simulatedOut: 999_999n },
  ...{ threshold: 995_000n, slippageBps: 50, feeBps: 0, venueId: 'eth-uniswap-v2', dex: 'Uniswap V2' },
  legs: [{ shareBps: 10_000, amount: MOST, leastIn: MOST, hops: [{ pool: 'd'.repeat(40), dex: 'Uniswap V2' }] }],
  ...{ quoteBlock: { number: 10, hash: '1'.repeat(64) }, buildBlock: { number: 11, hash: '2'.repeat(64) } },
  ...{ builtAt: 1_700_000_000_000, deadline: 1_700_000_300_000, lastHeight: 0 },
  ...{ builtAfter: { epoch: 1, seq: -1 }, asOf: { epoch: 1, seq: 12 }, state: 'executed', final: true },
  decidedAt: { epoch: 1, seq: 9, height: 13 },
  executed: {
    ...{ tx: '3'.repeat(64), block: 13, blockHash: '4'.repeat(64), time: 1_700_000_012_000 },
    ...{ inAmount: MOST, outAmount: 999_990n },
  },
};
const built: QuoteReceipt = { ...executed, state: 'built', final: false, decidedAt: null, executed: null };
const key = (digit: string) => digit.repeat(64);
const onSolana: QuoteReceipt = {
  ...{ ...executed, chain: 'sol', wallet: key('a'), recipient: key('b'), inputMint: key('e'), outputMint: key('c') },
  ...{ exact: 'out', inAmount: 5_000n, simulatedIn: 5_001n, threshold: 5_100n, feeBps: 85, lastHeight: 311 },
  ...{ venueId: 'sol-raydium-v4 + sol-pumpswap', dex: 'Raydium V4 + PumpSwap' },
  legs: [
    { shareBps: 9_999, amount: 999_900n, leastIn: 0n, hops: [{ pool: key('d'), dex: 'Raydium V4' }] },
    { shareBps: 1, amount: 100n, leastIn: 0n, hops: [{ pool: key('f'), dex: 'PumpSwap' }] },
  ],
  ...{ quoteBlock: { number: 10, hash: null }, buildBlock: { number: 11, hash: null } },
  executed: { ...executed.executed!, tx: '3'.repeat(128), inAmount: 5_002n, outAmount: 1_000_000n },
};
/** As every program since the first one wrote it. */
const versionOne = {
  ...{ version: 1, id: executed.id, quoteId: executed.quoteId, account: 'acme', chain: 'eth' },
  ...{ wallet: 'a'.repeat(40), recipient: 'b'.repeat(40), inputMint: 'e'.repeat(40), outputMint: 'c'.repeat(40) },
  ...{ inAmount: String(MOST), quotedOut: '1000000', simulatedOut: '999999', floor: '995000', slippageBps: 50 },
  ...{ venueId: 'eth-uniswap-v2', dex: 'Uniswap V2', hops: ['d'.repeat(40)] },
  ...{ quoteBlock: { number: 10, hash: '1'.repeat(64) }, buildBlock: { number: 11, hash: '2'.repeat(64) } },
  ...{ builtAt: 1_700_000_000_000, deadline: 1_700_000_300_000, builtAfter: { epoch: 1, seq: -1 } },
  ...{ asOf: { epoch: 1, seq: 12 }, state: 'executed', final: true, decidedAt: { epoch: 1, seq: 9, height: 13 } },
  executed: { tx: '3'.repeat(64), block: 13, blockHash: '4'.repeat(64), time: 1_700_000_012_000, outAmount: '999990' },
};

function refused(value: object): boolean {
  try {
    decodeReceipt(Buffer.from(JSON.stringify(value)));
    return false;
  } catch (error) {
    if (error instanceof UndecodableError) return true;
    throw error;
  }
}

describe('quote receipts in the log', () => {
  it.each([
    executed,
    built,
    { ...built, state: 'expired' as const, decidedAt: executed.decidedAt },
    onSolana,
    { ...onSolana, state: 'built' as const, decidedAt: null, executed: null },
  ])('come back as they were ($chain, $state)', (receipt) => {
    expect(decodeReceipt(encodeReceipt(receipt))).toEqual(receipt);
  });

  const written = (receipt: QuoteReceipt): Record<string, unknown> =>
    JSON.parse(Buffer.from(encodeReceipt(receipt)).toString('utf8'));
  const whole = written(executed);

  it('of EVM chains are as an earlier program reads and writes them', () => {
    expect(whole).toEqual(versionOne);
    expect(decodeReceipt(Buffer.from(JSON.stringify(versionOne)))).toEqual(executed);
  });

  it.each([executed, onSolana])('are refused without any one of their fields ($chain)', (receipt) => {
    const fields = written(receipt);
    for (const name of Object.keys(fields)) {
      if (name === 'account') continue;
      const { [name]: _, ...rest } = fields;
      expect([name, refused(rest)]).toEqual([name, true]);
    }
  });

  it.each([
    ['version', 1],
    ['version', 3],
    ['wallet', 'a'.repeat(40)],
    ['exact', 'both'],
    ['feeBps', -1],
    ['legs', []],
    ['legs', [{ shareBps: 10_000, amount: '1', leastIn: '1', hops: [] }]],
    ['legs', [{ shareBps: 0, amount: '1', leastIn: '1', hops: [{ pool: key('d'), dex: 'x' }] }]],
    ['legs', [{ shareBps: 10_000, amount: '1', leastIn: '1', hops: [{ pool: 'd'.repeat(40), dex: 'x' }] }]],
    ['quoteBlock', { number: 10, hash: key('1') }],
    ['executed', { ...onSolana.executed, inAmount: '1', outAmount: '1', tx: key('3') }],
  ])('of Solana are refused with %s = %j', (name, value) => {
    expect(refused({ ...written(onSolana), [name]: value })).toBe(true);
  });

  it('belong to the only account there was, where they name none', () => {
    const { account, ...before } = whole;
    const read = (value: object) => decodeReceipt(Buffer.from(JSON.stringify(value))).account;
    expect([account, read(before), read({ ...before, account: null })]).toEqual(['acme', 'demo', null]);
  });

  it.each([
    ['version', 2],
    ['version', 3],
    ['account', 5],
    ['wallet', `0x${'a'.repeat(40)}`],
    ['wallet', 'A'.repeat(40)],
    ['inAmount', 5],
    ['inAmount', '-5'],
    ['inAmount', (2n ** 256n).toString()],
    ['slippageBps', 1.5],
    ['hops', []],
    ['hops', ['xyz']],
    ['state', 'lost'],
    ['state', 'built'],
    ['executed', null],
    ['asOf', { epoch: 1, seq: -2 }],
  ])('are refused with %s = %j', (name, value) => {
    expect(() => decodeReceipt(Buffer.from(JSON.stringify({ ...whole, [name]: value })))).toThrow(UndecodableError);
  });

  it.each(['', '[]', 'null', '{'])('are refused as %j', (text) => {
    expect(() => decodeReceipt(Buffer.from(text))).toThrow(UndecodableError);
  });
});

describe('differences', () => {
  it.each([
    [1_000_100n, 1_000_000n, 100n],
    [999_990n, 1_000_000n, -10n],
    [1n, 3n, -666_666n],
    [5n, 3n, 666_666n],
    [7n, 7n, 0n],
    [7n, 0n, null],
  ])('%s against %s is %s hundredths of a basis point', (actual, promised, expected) => {
    expect(differenceHundredths(actual, promised)).toBe(expected);
  });

  it('are of the side that is not exact, and negative where the wallet came off worse', () => {
    expect([receiptDifference(executed, 'quote'), receiptDifference(executed, 'simulation')]).toEqual([-10n, -9n]);
    // 5,002 paid: 4 basis points more than the 5,000 of the quote, 1.9996 more than the 5,001 of the simulation.
    expect([receiptDifference(onSolana, 'quote'), receiptDifference(onSolana, 'simulation')]).toEqual([-400n, -199n]);
    const cheaper = { ...onSolana, executed: { ...onSolana.executed!, inAmount: 4_999n } };
    expect(receiptDifference(cheaper, 'quote')).toBe(200n);
    expect(receiptDifference(built, 'quote')).toBeNull();
  });

  it('a later epoch is later, whatever the seq', () => {
    expect(isLater({ epoch: 2, seq: 0 }, { epoch: 1, seq: 9 })).toBe(true);
    expect(isLater({ epoch: 1, seq: 9 }, { epoch: 1, seq: 9 })).toBe(false);
    expect(isLater({ epoch: 1, seq: 9 }, { epoch: 2, seq: 0 })).toBe(false);
  });
});
