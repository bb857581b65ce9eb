import type { Hex } from '#libs/core/ids.js';
import type { Append, LogWriter } from '#libs/pipeline/event-log/log.js';
import {
  decodeMetadata,
  decodeMetadataPlace,
  encodeMetadata,
  type MetadataPlace,
  metadataKey,
  metadataPlaceKey,
  metadataSubject,
  type TokenMetadata,
} from '#libs/protocol/token-metadata.js';
import { tokenMetadataTopic } from '#libs/protocol/topics.js';
import { afterTry, dueAt, MetadataQueue, sourceOf, waiting } from './metadata-queue.js';
import type { SourceNews } from './token-sources.js';

/**
 * What the topic `token-metadata` says of one chain, and what is to be read next. Invariant: it is what was appended; a value that
 * comes in the place of another while that one is being read makes the reading count for nothing.
 */
export class MetadataLedger {
  place: MetadataPlace | null = null;
  /** Sources of the tokens whose value is final. */
  private readonly settled = new Map<Hex, Hex | null>();
  private readonly open = new Map<Hex, TokenMetadata>();
  private readonly queue = new MetadataQueue();
  private pictures = new Set<string>();
  private appending: Promise<void> = Promise.resolve();

  constructor(
    private readonly chain: string,
    private readonly writer: LogWriter,
  ) {}

  counts() {
    return { known: this.settled.size, waiting: this.open.size };
  }

  /** `pictures`: those that the table has. A value whose picture is lost is read again. */
  load(values: ReadonlyMap<string, Uint8Array>, pictures: Set<string>): void {
    this.pictures = pictures;
    for (const [key, bytes] of values) {
      if (key === metadataPlaceKey(this.chain)) this.place = decodeMetadataPlace(bytes);
      const subject = metadataSubject(key);
      const value = subject?.chain === this.chain ? decodeMetadata(bytes) : null;
      if (value === null) continue;
      const lost = value.picture !== null && !pictures.has(value.picture);
      this.hold(subject!.token, lost ? { ...value, outcome: 'waiting', tries: 0 } : value);
    }
  }

  hasPicture(name: string): boolean {
    return this.pictures.has(name);
  }

  /** States what is new, and how far the blocks were followed, together. */
  async learn(news: readonly SourceNews[], place: MetadataPlace | null): Promise<void> {
    const appends: Append[] = [];
    for (const { token, uri } of news) {
      if (uri === null) {
        if (this.knows(token)) appends.push(this.dropped(token));
        continue;
      }
      const value = waiting(uri === 'ask' ? null : uri);
      // A contract is asked once; a URI that was read is not read again.
      if (this.knows(token) && (uri === 'ask' || this.sourceOf(token) === value.source)) continue;
      appends.push(this.stated(token, value));
    }
    if (place !== null) {
      this.place = place;
      appends.push({ topic: tokenMetadataTopic, key: metadataPlaceKey(this.chain), value: encodeMetadata(place) });
    }
    await this.append(appends);
  }

  /** Tokens whose sources were not tried yet. */
  untried(): Set<Hex> {
    return new Set([...this.open].flatMap(([token, { tries }]) => (tries === 0 ? [token] : [])));
  }

  take(now: number): Hex | null {
    return this.queue.take(now);
  }

  pending(token: Hex): TokenMetadata | null {
    return this.open.get(token) ?? null;
  }

  /** The token has no metadata. */
  async forget(token: Hex, before: TokenMetadata): Promise<void> {
    if (this.open.get(token) === before) await this.append([this.dropped(token)]);
  }

  async state(
    token: Hex,
    before: TokenMetadata,
    uri: string,
    found: Parameters<typeof afterTry>[2],
    now: number,
  ): Promise<void> {
    if (found.picture !== null) this.pictures.add(found.picture);
    if (this.open.get(token) !== before) return;
    await this.append([this.stated(token, afterTry(before, uri, found, now))]);
  }

  private knows(token: Hex): boolean {
    return this.open.has(token) || this.settled.has(token);
  }

  private sourceOf(token: Hex): Hex | null {
    const value = this.open.get(token);
    if (value === undefined) return this.settled.get(token) ?? null;
    return value.source ?? (value.uri === null ? null : sourceOf(value.uri));
  }

  private hold(token: Hex, value: TokenMetadata): void {
    const due = dueAt(value);
    if (due === null) {
      this.open.delete(token);
      this.queue.remove(token);
      this.settled.set(token, value.source);
      return;
    }
    this.settled.delete(token);
    this.open.set(token, value);
    this.queue.add(token, due);
  }

  private stated(token: Hex, value: TokenMetadata): Append {
    this.hold(token, value);
    return { topic: tokenMetadataTopic, key: metadataKey(this.chain, token), value: encodeMetadata(value) };
  }

  private dropped(token: Hex): Append {
    this.open.delete(token);
    this.settled.delete(token);
    this.queue.remove(token);
    return { topic: tokenMetadataTopic, key: metadataKey(this.chain, token), value: null };
  }

  /** One append after the other, in the order of the calls. */
  private append(records: Append[]): Promise<void> {
    if (records.length === 0) return this.appending;
    const done = this.appending.then(() => this.writer.append(records));
    this.appending = done;
    // A failure is the caller's that waits for it; those behind it fail with it.
    done.catch(() => undefined);
    return done;
  }
}
