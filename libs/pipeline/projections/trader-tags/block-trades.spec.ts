import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import { arbitrages, bundledWallets, sandwichingWallets, type TokenTrade } from './block-trades.js';

/** A trade of token T: who, `+` buys or `-` sells, in which transaction, and in which pool where it is not p. */
function trades(text: string): TokenTrade[] {
  return text.split(' ').map((one) => {
    const [, wallet, sign, tx, pool = 'p'] = /^(\w)([+-])(\d)(\w)?$/.exec(one)!;
    return { token: 'T', wallet: wallet!, pool, tx: tx!, buys: sign === '+', volumeUsd: null };
  });
}

const sorted = (found: Set<string>): string => [...found].sort().join('');

describe('bundles: three wallets that buy in transactions that follow one another', () => {
  const txs = [1, 2, 3, 4, 6, 7, 8].map((index) => ({ id: `${index}`, index, sender: '' }));
  it.each([
    ['a+1 b+2 c+3', 'abc'],
    ['a+1 b+1 c+1', 'abc'],
    ['a+1 b+2 c+3 d+4', 'abcd'],
    ['a+2 b+3 c+4 d+6 e+7 f+8', 'abcdef'],
    ['a+3 b+4 c+6 d+7', ''],
    ['a+1 b+2 a+3', ''],
    ['a+1 b+2 d-3 c+3', 'abc'],
    ['a+1 b-2 c+3 d+4', ''],
    ['a-1 b-2 c-3', ''],
  ])('%s: %s', (text, expected) => {
    expect(sorted(bundledWallets(trades(text), { txs } as unknown as BlockGroup))).toBe(expected);
  });
});

describe('sandwiches: both sides of a trade of another, which goes in the direction of the first', () => {
  it.each([
    ['a+1 b+2 a-3', 'a'],
    ['a-1 b-2 a+3', 'a'],
    ['a+1 b-2 a-3', ''],
    ['a+1 a-3', ''],
    ['b+1 a+2 a-3', ''],
    ['a+1 b+2 a-1', ''],
    ['a+1 b+2q a-3', ''],
    ['a+1 a+1 b+2 c+2 a-3', 'a'],
    ['a+1 b+2 b-3 a-4', 'a'],
    ['a+1 b+2 a-3 b-4', 'a'],
    ['a+1 b+2 c+3 b-4 a-5', 'ab'],
  ])('%s: %s', (text, expected) => {
    expect(sorted(sandwichingWallets(trades(text)))).toBe(expected);
  });
});

describe('arbitrage: trades in two pools after which there is less of no token', () => {
  /** Pool, base, quote, side, amount of base, amount of quote. */
  const swaps = (text: string): TradeFact[] =>
    text.split(' ').map((one) => {
      const [pool, base, quote, sign, baseAmount, quoteAmount] = one.split(',');
      const side = sign === '+' ? 'buy' : 'sell';
      const amounts = { baseAmount: BigInt(baseAmount!), quoteAmount: BigInt(quoteAmount!) };
      return { tx: '1', wallet: 'a', pool, base, quote, side, ...amounts } as unknown as TradeFact;
    });
  it.each([
    ['p,T,C,+,10,5 q,T,C,-,10,6', 'CT'],
    ['p,T,C,+,10,5 q,T,C,-,10,5', 'CT'],
    ['p,T,C,+,10,5 q,T,C,-,10,4', ''],
    ['p,T,C,+,10,5 p,T,C,-,10,6', ''],
    ['p,T,C,+,10,5 q,T,U,-,10,6', ''],
    ['p,T,C,+,10,5 q,T,U,-,10,6 r,C,U,+,5,6', 'CTU'],
  ])('%s: %s', (text, expected) => {
    expect(sorted(new Set([...arbitrages(swaps(text))].map(({ token }) => token)))).toBe(expected);
  });
});
