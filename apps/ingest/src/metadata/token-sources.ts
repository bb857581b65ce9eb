import type { ChainFamily } from '#libs/chain/chains/chain-manifest.js';
import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup } from '#libs/protocol/blocks.js';

/** A token and where its metadata are from here on. `ask`: its contract says it; null: nowhere. */
export interface SourceNews {
  readonly token: Hex;
  readonly uri: string | null | 'ask';
}

interface Update {
  readonly seq: number;
  readonly height: number;
  readonly token: Hex;
  readonly uri: string | null;
}

/**
 * Which tokens the blocks make known, and where their metadata are. The first URI of a token counts at once; what changes it later
 * counts when its block is sealed, so that nothing has to be taken back. Invariant: reading again from after `settled` gives
 * everything that is still to come.
 */
export class TokenSources {
  private updates: Update[] = [];
  private last = -1;

  constructor(private readonly family: ChainFamily) {}

  /** The groups up to here need not be read again. */
  get settled(): number {
    return this.updates.length === 0 ? this.last : this.updates[0]!.seq - 1;
  }

  take(group: BlocksGroup): SourceNews[] {
    this.last = group.seq;
    if (group.kind === 'block') return this.block(group);
    if (group.kind === 'retract') this.updates = this.updates.filter(({ seq }) => seq < group.fromSeq);
    if (group.kind !== 'finalize') return [];
    const sealed = this.updates.filter(({ height }) => height <= group.height);
    this.updates = this.updates.filter(({ height }) => height > group.height);
    return newestOf(sealed);
  }

  /** A group in which nothing of this is. */
  pass(seq: number): void {
    this.last = seq;
  }

  private block({ seq, height, tokens, events }: BlockGroup): SourceNews[] {
    if (this.family === 'evm') return tokens.map(({ token }) => ({ token, uri: 'ask' }));
    const met = new Set(tokens.map(({ token }) => token));
    const first: SourceNews[] = [];
    for (const event of events) {
      if (event.kind !== 'metadata') continue;
      const { token, uri } = event;
      if (met.has(token)) first.push({ token, uri });
      else this.updates.push({ seq, height, token, uri });
    }
    return newestOf(first);
  }
}

const newestOf = (news: readonly SourceNews[]): SourceNews[] => [
  ...new Map(news.map(({ token, uri }) => [token, { token, uri }])).values(),
];
