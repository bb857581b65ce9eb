import type { CursorSigner } from '#libs/core/cursor.js';
import { Answer, etagOf, JSON_TYPE } from '#libs/http/answer.js';
import type { ChainView } from '#libs/reader/chain-view.js';

interface Kept {
  answer: Promise<Answer>;
  /** Bytes of the body; null while it is being made. */
  bytes: number | null;
}

const MOST_KEPT = 20_000;

/**
 * Answers by the view, or the views of several chains, and the request they were made from. An answer is a function of the two, of
 * what is known of the tokens from outside and of what signs its cursor, so that it never goes stale: a new block, picture or
 * secret makes a new key. Equal requests that arrive together are computed once. Failures are not kept.
 */
export class AnswerCache {
  private readonly kept = new Map<string, Kept>();
  private heldBytes = 0;

  constructor(
    private readonly version: string,
    private readonly cursors: Pick<CursorSigner, 'signature'>,
    private readonly maxBytes = 32 * 1024 * 1024,
  ) {}

  get bytes(): number {
    return this.heldBytes;
  }

  answer(of: ChainView | readonly ChainView[], request: string, make: () => Promise<unknown>): Promise<Answer> {
    const views = 'pin' in of ? [of] : of;
    const key = `${this.cursors.signature}|${views.map(viewKey).join('|')}|${request}`;
    const known = this.kept.get(key);
    if (known !== undefined) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known.answer;
    }
    const made: Kept = { answer: this.make(key, make), bytes: null };
    this.kept.set(key, made);
    made.answer.then(
      ({ body }) => {
        made.bytes = body.length;
        this.heldBytes += body.length;
        this.evict();
      },
      () => this.kept.delete(key),
    );
    return made.answer;
  }

  private async make(key: string, make: () => Promise<unknown>): Promise<Answer> {
    const etag = etagOf(`${this.version}|${key}`);
    const body = Buffer.from(JSON.stringify(await make()), 'utf8');
    return new Answer(body, JSON_TYPE, etag, { 'cache-control': 'private, no-cache' });
  }

  /** Drops what was used longest ago; what is still being made stays. */
  private evict(): void {
    for (const [key, { bytes }] of this.kept) {
      if (this.heldBytes <= this.maxBytes && this.kept.size <= MOST_KEPT) return;
      if (bytes === null) continue;
      this.kept.delete(key);
      this.heldBytes -= bytes;
    }
  }
}

function viewKey({ chain, about, pin: { epoch, generation, seq } }: ChainView): string {
  return `${chain.slug}|${epoch}|${generation}|${seq}|${about.version}`;
}
