import type { Hex } from '#libs/core/ids.js';
import type { LaunchFiles } from '#libs/pipeline/epochs/launch-files.js';

const EVERY_MS = 86_400_000;

/** Where routers learn which of their files have a token. */
export type LaunchMarks = Pick<LaunchFiles, 'tokenSeen' | 'followed' | 'followedUntil' | 'close'>;

/**
 * States up to which block time the tokens of a chain were looked at, once a day of that time: what no token has by then waits in
 * vain. Invariant: every token that blocks up to a stated time made known was tried at least once before.
 */
export class FollowedTokens {
  private stated: number | null = null;
  private next: { readonly time: number; untried: readonly Hex[] } | null = null;

  constructor(
    private readonly chain: string,
    private readonly marks: Pick<LaunchMarks, 'followed' | 'followedUntil'>,
  ) {}

  /** After each step through the blocks: the time of the newest one that has tokens, and what was not tried yet. */
  async reached(time: number, untried: () => ReadonlySet<Hex>): Promise<void> {
    this.stated ??= await this.marks.followedUntil(this.chain);
    if (this.next === null && time < this.stated + EVERY_MS) return;
    const open = untried();
    this.next ??= { time, untried: [...open] };
    this.next.untried = this.next.untried.filter((token) => open.has(token));
    if (this.next.untried.length > 0) return;
    this.stated = this.next.time;
    this.next = null;
    await this.marks.followed(this.chain, this.stated);
  }
}
