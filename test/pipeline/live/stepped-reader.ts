import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView, Pin } from '#libs/serve/reader/chain-view.js';
import type { TailListener } from '#libs/serve/reader/tail-listener.js';
import { noAbouts } from '#libs/serve/reader/token-about.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';
import { EPOCH, FOLD } from '../world-checks.js';
import type { RestAnswers } from './rest-answers.js';

/** A reader of a log in memory that takes the next group when a spec says so: one instance of the api at its own pace. */
export class SteppedReader {
  /** Why it cannot be served now. */
  away: string | null = null;
  readonly about = noAbouts;
  private readonly listeners = new Set<TailListener>();

  constructor(
    private readonly answers: RestAnswers,
    public seq: number,
  ) {}

  get chain(): ChainReader['chain'] {
    return this.answers.chain;
  }

  get last(): number {
    return this.answers.facts.length - 1;
  }

  view(pin?: Pin): ChainView {
    if (this.away !== null) throw new ChainUnavailableError(this.chain.slug, this.away);
    return this.answers.at(pin?.seq ?? this.seq);
  }

  listen(listener: TailListener): () => void {
    this.listeners.add(listener);
    const held = this.answers.entries.slice(0, this.seq + 1);
    listener.onReset({ epoch: EPOCH, foldVersion: FOLD, seq: this.seq, held });
    return () => this.listeners.delete(listener);
  }

  /** Takes so many groups, each in a turn of its own as far as its listeners can see. */
  step(groups: number): void {
    for (let taken = 0; taken < groups && this.seq < this.last; taken++) {
      this.seq++;
      for (const listener of this.listeners) listener.onGroup(this.answers.entries[this.seq]!);
    }
  }

  /** It answers again. */
  back(): void {
    this.away = null;
    for (const listener of this.listeners) listener.onAvailable();
  }

  /** As the channels take it: they use no more of a reader than this. */
  get served(): ChainReader {
    return this as unknown as ChainReader;
  }
}
