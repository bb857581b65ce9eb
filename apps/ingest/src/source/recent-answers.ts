/** A published block as a node answered it. The digest is opaque here: its maker compares two of them. */
export interface RecentAnswer {
  readonly height: number;
  /** Number of the node; a feed that belongs to none has one of its own. */
  readonly node: number;
  readonly digest: string;
}

/**
 * Which node answered each of the newest published blocks, and a digest of its answer: where a node turns out to be wrong,
 * its blocks are read again elsewhere and what differs is retracted. Invariant: heights ascend, and at most `most` blocks of
 * each node are kept, the newest ones. Lives in memory alone: blocks from before a start are not known.
 */
export class RecentAnswers {
  /** By height, ascending: blocks are published in order. */
  private readonly answers = new Map<number, RecentAnswer>();
  /** Heights by node, ascending. */
  private readonly heights = new Map<number, number[]>();

  constructor(private readonly most = 1_000) {}

  /** Of a block that is about to be published: whatever was published at its height or above it is gone. */
  remember(height: number, node: number, digest: string): void {
    this.forgetFrom(height);
    this.answers.set(height, { height, node, digest });
    const own = this.heights.get(node) ?? [];
    if (own.length === 0) this.heights.set(node, own);
    own.push(height);
    if (own.length > this.most) this.answers.delete(own.shift()!);
  }

  at(height: number): RecentAnswer | null {
    return this.answers.get(height) ?? null;
  }

  /** The newest blocks of a node, ascending. */
  of(node: number, last = this.most): RecentAnswer[] {
    return (this.heights.get(node) ?? []).slice(-last).map((height) => this.answers.get(height)!);
  }

  /** Those of all nodes within two heights, both included, ascending. */
  between(from: number, to: number): RecentAnswer[] {
    const found = [...this.answers.values()].filter(({ height }) => height >= from && height <= to);
    return found.sort((a, b) => a.height - b.height);
  }

  /** The blocks from this height on were retracted. */
  forgetFrom(height: number): void {
    for (const own of this.heights.values()) {
      while (own.length > 0 && own.at(-1)! >= height) this.answers.delete(own.pop()!);
    }
  }

  /** The blocks of a node were read again and are right. */
  forgetNode(node: number): void {
    for (const height of this.heights.get(node) ?? []) this.answers.delete(height);
    this.heights.delete(node);
  }

  clear(): void {
    this.answers.clear();
    this.heights.clear();
  }
}
