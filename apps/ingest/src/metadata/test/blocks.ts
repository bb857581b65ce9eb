import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup, TokenRecord } from '#libs/protocol/blocks.js';

const hash = (height: number, branch = 0): Hex =>
  `${height.toString(16)}${'0'.repeat(4)}${branch.toString(16)}`.padStart(64, '0');

export const tokenId = (n: number): Hex => n.toString(16).padStart(64, '7');

const record = (token: Hex): TokenRecord => ({ token, decimals: 6, symbol: 'T', name: 'Token', totalSupply: null });

const envelope = (chain: string, seq: number, height: number) => ({
  ...{
    chain,
    epoch: 0,
    seq,
    height,
    hash: hash(height, seq),
    parentHash: hash(height + 1),
    time: 1_700_000_000_000 + seq,
  },
});

export interface Said {
  token: Hex;
  uri: string | null;
}

/** Groups of the blocks topic that say nothing but where tokens' metadata are. */
export class BlocksOf {
  constructor(private readonly chain: string) {}

  epoch(): BlocksGroup {
    const reference = {
      ...{ family: 'solana' as const, genesisHash: hash(1), startHeight: 0, decoderVersion: 1 },
      ...{ coin: { token: tokenId(0), symbol: 'SOL', decimals: 9 }, stables: [] },
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    };
    return { kind: 'epoch', ...envelope(this.chain, 0, 0), parentHash: '', reference };
  }

  block(seq: number, height: number, met: readonly Hex[], said: readonly Said[]): BlockGroup {
    const events = said.map(({ token, uri }, ordinal) => ({
      ...{ kind: 'metadata' as const, tx: 0, ordinal, token, uri },
      ...{ standard: 'token-2022', transferFeeBps: 0, extensions: [] },
    }));
    const txs = events.length === 0 ? [] : [{ id: `${hash(seq)}${hash(height)}`, index: 0, sender: tokenId(99) }];
    return {
      ...{ kind: 'block', ...envelope(this.chain, seq, height), source: 'http', observedAt: 0, txs },
      ...{ tokens: met.map(record), pools: [], events, anchors: [] },
    };
  }

  retract(seq: number, height: number, fromSeq: number): BlocksGroup {
    return { kind: 'retract', ...envelope(this.chain, seq, height), fromSeq };
  }

  finalize(seq: number, height: number): BlocksGroup {
    return { kind: 'finalize', ...envelope(this.chain, seq, height), finalizedHeight: height };
  }
}
