import { LRUCache } from 'lru-cache';
import type { CursorSigner } from '#libs/core/cursor.js';
import { Answer, etagOf, JSON_TYPE } from '#libs/serve/http/answer.js';
import { type ChainView, type Pin, pinKey, sameTables } from '#libs/serve/reader/chain-view.js';

/** What an answer follows from in addition to its request. */
interface Origin {
  readonly signature: string;
  readonly views: readonly ReturnType<typeof placeOf>[];
}

const MOST_KEPT = 20_000;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Answers by the view, or the views of several chains, and the request they were made from. An answer is a function of the two, of
 * what is known of the tokens from outside and of what signs its cursor, so that it never goes stale: a new block, picture or
 * secret makes a new key. So does a seal, which cursors name too. Equal requests that arrive together are computed once. Failures
 * are not kept.
 */
export class AnswerCache {
  private readonly kept = new LRUCache<string, Answer>({
    ...{ max: MOST_KEPT, maxSize: MOST_BYTES },
    sizeCalculation: ({ body }) => Math.max(body.length, 1),
  });
  private readonly making = new Map<string, Promise<Answer>>();
  private readonly origins = new WeakMap<Answer, Origin>();

  constructor(
    private readonly version: string,
    private readonly cursors: Pick<CursorSigner, 'signature'>,
  ) {}

  get bytes(): number {
    return this.kept.calculatedSize;
  }

  answer(of: ChainView | readonly ChainView[], request: string, make: () => Promise<unknown>): Promise<Answer> {
    const views = 'pin' in of ? [of] : of;
    const key = `${this.cursors.signature}|${views.map(viewKey).join('|')}|${request}`;
    const known = this.kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    let making = this.making.get(key);
    if (making === undefined) {
      making = this.make(key, views, make).finally(() => this.making.delete(key));
      this.making.set(key, making);
    }
    return making;
  }

  /**
   * Whether the request that an answer was made for would get it again: it was made from the newest view of each of its chains, and
   * what else it follows from is the same. `newest` throws where a chain cannot be served.
   */
  isCurrent(answer: Answer, newest: (chain: string) => ChainView): boolean {
    const origin = this.origins.get(answer);
    if (origin === undefined || origin.signature !== this.cursors.signature) return false;
    for (const { chain, about, pin } of origin.views) {
      const now = newest(chain);
      if (now.about.version !== about || !isSamePin(now.pin, pin)) return false;
    }
    return true;
  }

  private async make(key: string, views: readonly ChainView[], make: () => Promise<unknown>): Promise<Answer> {
    const { signature } = this.cursors;
    const of = views.map(placeOf);
    const etag = etagOf(`${this.version}|${key}`);
    const body = Buffer.from(JSON.stringify(await make()), 'utf8');
    const answer = new Answer(body, JSON_TYPE, etag, { 'cache-control': 'private, no-cache' });
    this.origins.set(answer, { signature, views: of });
    this.kept.set(key, answer);
    return answer;
  }
}

function viewKey({ chain, about, pin }: ChainView): string {
  return `${chain.slug}|${pinKey(pin)}|${pin.sealSeq}|${pin.sealedTime}|${about.version}`;
}

const placeOf = ({ chain, about, pin }: ChainView) => ({ chain: chain.slug, about: about.version, pin });

const isSamePin = (a: Pin, b: Pin): boolean =>
  sameTables(a, b) && a.seq === b.seq && a.sealSeq === b.sealSeq && a.sealedTime === b.sealedTime;
