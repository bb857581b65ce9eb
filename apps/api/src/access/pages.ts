import { Injectable } from '@nestjs/common';
import { CursorSigner } from '#libs/core/cursor.js';
import type { Answer } from '#libs/serve/http/answer.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { AnswerCache } from './answer-cache.js';
import { PageCursors } from './page-cursor.js';
import { viewFor } from './token-subject.js';

/** Places in lists: after so many rows, or below a trade. */
export type Offset = readonly [offset: number];
export type TradePlace = readonly [block: number, ordinal: number];

interface PageAsked {
  /** The list, whatever its page (`scopeOf`). */
  readonly scope: string;
  readonly cursor: string | undefined;
  readonly limit: number;
  /** Block of the first page; the newest without it. */
  readonly asOfBlock?: number | undefined;
  /** What else decides the body and may be another thing on the next page. */
  readonly also?: unknown;
}

/** Where a page begins (undefined: at the start of the list), the view it is read from, and the cursor of a place in that view. */
interface Page<Place> {
  readonly place: Place | undefined;
  readonly view: ChainView;
  cursorAt(place: Place): string;
}

/** Pages of the lists of one chain. Invariant: all pages of a list are read from the view of its first. */
@Injectable()
export class Pages {
  constructor(
    private readonly cache: AnswerCache,
    private readonly signer: CursorSigner,
  ) {}

  /** `numbers`: how many name a place in the list. */
  async answer<Place extends readonly number[]>(
    reader: ChainReader,
    { scope, cursor, limit, asOfBlock, also = '' }: PageAsked,
    numbers: Place['length'],
    make: (page: Page<Place>) => Promise<object>,
  ): Promise<Answer> {
    const cursors = new PageCursors<Place>(this.signer, numbers);
    const opened = cursor === undefined ? undefined : cursors.open(scope, cursor);
    const view = await viewFor(reader, opened?.pin, asOfBlock);
    const cursorAt = (place: Place): string => cursors.seal(scope, view.pin, place);
    return this.cache.answer(view, `${scope}|${limit}|${opened?.place ?? ''}|${also}`, () =>
      make({ place: opened?.place, view, cursorAt }),
    );
  }
}
