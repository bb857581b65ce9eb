import { UndecodableError } from '#libs/core/errors.js';
import { decodeReceipt, differenceHundredths, encodeReceipt, isLater, type QuoteReceipt } from './receipts.js';

const executed: QuoteReceipt = {
  account: 'acme',
  ...{ id: '5f0c2a1e-3d39-4f7e-8b3b-0d8f5d6f3a11', quoteId: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d', chain: 'eth' },
  ...{ wallet: 'a'.repeat(40), recipient: 'b'.repeat(40), inputMint: 'e'.repeat(40), outputMint: 'c'.repeat(40) },
  ...{ inAmount: 2n ** 256n - 1n, quotedOut: 1_000_000n, simulatedOut: 999_999n, floor: 995_000n, slippageBps: 50 },
  ...{ venueId: 'eth-uniswap-v2', dex: 'Uniswap V2', hops: ['d'.repeat(40)] },
  ...{ quoteBlock: { number: 10, hash: '1'.repeat(64) }, buildBlock: { number: 11, hash: '2'.repeat(64) } },
  ...{ builtAt: 1_700_000_000_000, deadline: 1_700_000_300_000 },
  ...{ builtAfter: { epoch: 1, seq: -1 }, asOf: { epoch: 1, seq: 12 }, state: 'executed', final: true },
  decidedAt: { epoch: 1, seq: 9, height: 13 },
  executed: { tx: '3'.repeat(64), block: 13, blockHash: '4'.repeat(64), time: 1_700_000_012_000, outAmount: 999_990n },
};
const built: QuoteReceipt = { ...executed, state: 'built', final: false, decidedAt: null, executed: null };

describe('quote receipts in the log', () => {
  it.each([executed, built, { ...built, state: 'expired' as const, decidedAt: executed.decidedAt }])(
    'come back as they were ($state)',
    (receipt) => {
      expect(decodeReceipt(encodeReceipt(receipt))).toEqual(receipt);
    },
  );

  const whole = JSON.parse(Buffer.from(encodeReceipt(executed)).toString('utf8')) as Record<string, unknown>;

  it('are refused without any one of their fields', () => {
    for (const name of Object.keys(whole)) {
      if (name === 'account') continue;
      const { [name]: _, ...rest } = whole;
      expect(() => decodeReceipt(Buffer.from(JSON.stringify(rest)))).toThrow(UndecodableError);
    }
  });

  it('belong to the only account there was, where they name none', () => {
    const { account, ...before } = whole;
    const read = (value: object) => decodeReceipt(Buffer.from(JSON.stringify(value))).account;
    expect([account, read(before), read({ ...before, account: null })]).toEqual(['acme', 'demo', null]);
  });

  it.each([
    ['version', 2],
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

  it('a later epoch is later, whatever the seq', () => {
    expect(isLater({ epoch: 2, seq: 0 }, { epoch: 1, seq: 9 })).toBe(true);
    expect(isLater({ epoch: 1, seq: 9 }, { epoch: 1, seq: 9 })).toBe(false);
    expect(isLater({ epoch: 1, seq: 9 }, { epoch: 2, seq: 0 })).toBe(false);
  });
});
