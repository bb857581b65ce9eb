import { foldAll } from '#libs/devkit/testing/market/market-harness.js';
import type { BalanceSample, BlockGroup, BlocksGroup, TransferEvent } from '#libs/protocol/blocks.js';
import { supplyCoverages } from './projection.js';

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const [NOBODY, TOKEN, OLD, ANN, BOB] = [id(0), id(0x70), id(0x71), id(0xa), id(0xb)];
type Move = Pick<TransferEvent, 'token' | 'from' | 'to' | 'amount'>;
const move = (from: string, to: string, amount: bigint, token = TOKEN): Move => ({ token, from, to, amount });

function epoch(startHeight: number): BlocksGroup {
  return {
    ...{
      kind: 'epoch',
      chain: 'eth',
      epoch: 1,
      seq: 0,
      height: startHeight - 1,
      hash: id(startHeight - 1, 32),
      parentHash: '',
    },
    time: 0,
    reference: {
      ...{ family: 'evm', genesisHash: id(0xfe, 32), startHeight, decoderVersion: 1, stables: [] },
      coin: { token: id(0xc0), symbol: 'COIN', decimals: 18 },
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    },
  };
}

function block(seq: number, height: number, moves: Move[] = [], samples: BalanceSample[] = []): BlockGroup {
  return {
    ...{ kind: 'block', chain: 'eth', epoch: 1, seq, height, hash: id(height, 32), parentHash: id(height - 1, 32) },
    ...{ time: height * 1_000, source: 'http', observedAt: 0, tokens: [], pools: [], anchors: [] },
    txs: [{ id: id(0x1000 + seq, 32), index: 0, sender: ANN }],
    events: moves.map((each, ordinal) => ({ kind: 'transfer', tx: 0, ordinal, ...each })),
    ...(samples.length > 0 && { samples }),
  };
}

/** The standing of the token after each group that names it. */
function standings(groups: readonly BlocksGroup[], token = TOKEN): string[] {
  return foldAll(groups).flatMap((group) =>
    group.kind === 'block' || group.kind === 'retract'
      ? (group.tokenHolders ?? []).flatMap((row) => (row.token === token ? [supplyCoverages[row.standing]!] : []))
      : [],
  );
}

describe('what the chain says of balances', () => {
  const sample = (amount: bigint, wallet = ANN, token = TOKEN): BalanceSample => ({ token, wallet, amount });

  it('leaves a token as it is where its transfers say the same', () => {
    const groups = [
      epoch(1),
      block(1, 1, [move(NOBODY, ANN, 10n)]),
      // A sample is of the end of the block before: the transfers in its block are not in it.
      block(2, 2, [move(ANN, BOB, 4n)], [sample(10n), sample(0n, BOB)]),
      block(3, 3, [move(BOB, ANN, 1n)], [sample(6n), sample(4n, BOB)]),
    ];
    expect(standings(groups)).toEqual(['complete', 'complete']);
  });

  it('ends the balances of a token that moves amounts without transfers, as far as the block survives', () => {
    const retraction: BlocksGroup = {
      ...{ kind: 'retract', chain: 'eth', epoch: 1, seq: 4, fromSeq: 2, height: 1, hash: id(1, 32) },
      ...{ parentHash: id(0, 32), time: 1_000 },
    };
    const groups = [
      epoch(1),
      block(1, 1, [move(NOBODY, ANN, 10n)]),
      block(2, 2, [], [sample(11n)]),
      block(3, 3, [], [sample(11n)]),
      retraction,
      block(5, 2, [], [sample(10n)]),
      block(6, 3, [], [sample(10n, BOB)]),
      block(7, 4),
      block(8, 5, [], [sample(10n), sample(10n, BOB)]),
      block(9, 6, [move(NOBODY, BOB, 1n)], [sample(10n)]),
    ];
    expect(standings(groups)).toEqual(['complete', 'doubted', 'broken', 'complete', 'doubted', 'broken', 'broken']);
  });

  it('takes one sample that nothing confirms for an answer about another block', () => {
    const groups = [
      epoch(1),
      block(1, 1, [move(NOBODY, ANN, 10n)]),
      block(2, 2, [], [sample(6n)]),
      block(3, 3, [move(ANN, BOB, 4n)], [sample(10n)]),
      block(4, 4, [], [sample(9n), sample(4n, BOB)]),
      block(5, 5, [], [sample(4n, BOB)]),
    ];
    expect(standings(groups)).toEqual(['complete', 'doubted', 'complete', 'doubted', 'complete']);
  });

  it('says nothing of a token that may have moved before the index', () => {
    const groups = [epoch(100), block(1, 100, [move(ANN, BOB, 1n, OLD)]), block(2, 101, [], [sample(5n, BOB, OLD)])];
    expect(standings(groups, OLD)).toEqual(['broken']);
    const held = [epoch(100), block(1, 100, [move(NOBODY, BOB, 1n, OLD)]), block(2, 101, [], [sample(5n, BOB, OLD)])];
    expect(standings(held, OLD)).toEqual(['incomplete']);
  });
});
