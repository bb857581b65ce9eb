import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { randomReceipt } from '#libs/pipeline/store/receipts/test/random-receipt.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import { poolToken } from '../evm/native-coin.js';
import { FollowedChain } from './followed-chain.js';

/** What another router says of a receipt, when this one is at seq 6 of the same facts. */
describe('a receipt of another router', () => {
  const random = new SeededRandom(17);
  let chain: FollowedChain;

  beforeEach(() => {
    chain = new FollowedChain(
      'eth',
      (mint) => poolToken(eth, mint),
      () => undefined,
    );
    chain.receipts.moveTo({ epoch: 1, seq: 6 });
    chain.following = true;
    chain.inStep = true;
  });

  const receipt = (state: QuoteReceipt['state'], decidedSeq: number, final = false): QuoteReceipt => ({
    ...randomReceipt(random, { state, builtAfter: { epoch: 1, seq: 3 }, asOf: { epoch: 1, seq: 20 }, final }),
    decidedAt: state === 'built' ? null : { epoch: 1, seq: decidedSeq, height: 100 },
    executed:
      state === 'executed'
        ? {
            tx: random.hex(32),
            block: 100,
            blockHash: random.hex(32),
            time: 1_700_000_000_000,
            inAmount: 9n,
            outAmount: 5n,
          }
        : null,
  });

  const adopted = (given: QuoteReceipt) => {
    chain.adopt(given);
    const { state, executed } = chain.receipts.get(given.id)!;
    return { state, tx: executed?.tx ?? null, seq: chain.receipts.position!.seq, inStep: chain.inStep };
  };

  it('that is open is looked for from its build on', () => {
    expect(adopted(receipt('built', 0))).toEqual({ state: 'built', tx: null, seq: 3, inStep: false });
  });

  it('that was decided further on is found out here', () => {
    expect(adopted(receipt('executed', 9))).toEqual({ state: 'built', tx: null, seq: 3, inStep: false });
    expect(adopted(receipt('expired', 7))).toEqual({ state: 'built', tx: null, seq: 3, inStep: false });
  });

  it('that was decided before is believed, but not that nothing took it back since', () => {
    const given = receipt('executed', 5);
    expect(adopted(given)).toEqual({ state: 'executed', tx: given.executed!.tx, seq: 5, inStep: false });
  });

  it('that is sealed changes nothing', () => {
    const given = receipt('executed', 5, true);
    expect(adopted(given)).toEqual({ state: 'executed', tx: given.executed!.tx, seq: 6, inStep: true });
  });

  it('that was sealed further back may have been taken back since, below what was sealed', () => {
    const given = { ...receipt('executed', 3, true), asOf: { epoch: 1, seq: 4 } };
    expect(adopted(given)).toEqual({ state: 'executed', tx: given.executed!.tx, seq: 3, inStep: false });
    const here = { ...receipt('expired', 3, true), asOf: { epoch: 1, seq: 6 } };
    chain.receipts.moveTo({ epoch: 1, seq: 6 });
    chain.inStep = true;
    expect(adopted(here)).toEqual({ state: 'expired', tx: null, seq: 6, inStep: true });
    const before = { ...receipt('expired', 3, true), asOf: { epoch: 0, seq: 4 } };
    expect(adopted(before)).toEqual({ state: 'expired', tx: null, seq: 6, inStep: true });
  });

  it('that is sealed here and said otherwise by one that was as far is found out again', () => {
    const mine = { ...receipt('executed', 4, true), asOf: { epoch: 1, seq: 6 } };
    adopted(mine);
    const earlier: QuoteReceipt = {
      ...mine,
      state: 'built',
      decidedAt: null,
      executed: null,
      asOf: { epoch: 1, seq: 3 },
    };
    expect(adopted(earlier)).toEqual({ state: 'executed', tx: mine.executed!.tx, seq: 6, inStep: true });
    expect(adopted({ ...mine, final: false })).toEqual({
      state: 'executed',
      tx: mine.executed!.tx,
      seq: 6,
      inStep: true,
    });
    const expired: QuoteReceipt = { ...receipt('expired', 5, true), id: mine.id, asOf: { epoch: 1, seq: 8 } };
    expect(adopted(expired)).toEqual({ state: 'built', tx: null, seq: 3, inStep: false });
  });

  it('whose transaction settled another one is found out again', () => {
    const mine = receipt('executed', 5, true);
    const theirs = { ...receipt('executed', 5, true), executed: mine.executed };
    adopted(mine);
    expect(adopted(theirs)).toEqual({ state: 'built', tx: null, seq: 3, inStep: false });
    expect(chain.receipts.get(mine.id)!.state).toBe('built');
  });

  it('is only noted while nobody follows the chain', () => {
    chain.following = false;
    const given = receipt('executed', 9);
    expect(adopted(given)).toEqual({ state: 'executed', tx: given.executed!.tx, seq: 6, inStep: true });
    chain.adopt({ ...given, state: 'built', decidedAt: null, executed: null, asOf: { epoch: 1, seq: 19 } });
    expect(chain.receipts.get(given.id)!.state).toBe('executed');
  });
});
