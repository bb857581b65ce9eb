import type { Hex } from '#libs/core/ids.js';
import { KeyWatchers } from '#libs/core/key-watchers.js';
import type { EventLog, KeyedRecord } from '#libs/pipeline/event-log/log.js';
import { decodeMetadata, metadataSubject, type TokenMetadata } from '#libs/protocol/token-metadata.js';
import { tokenMetadataTopic } from '#libs/protocol/topics.js';
import { sleep } from './sleep.js';
import { NOTHING_ABOUT, type SaidAbouts, type TokenAbout } from './token-about.js';

export interface MetadataBookDeps {
  log: Pick<EventLog, 'ensureTopics' | 'readKeyed'>;
  /** Where clients reach the api; pictures have an address where it is https. */
  publicUrl: string | null;
  /** How often the topic is looked at. */
  pollMs?: number;
}

const RECORDS = 1_000;
const LONGEST_SHOWN_URI = 2_048;

/**
 * The topic `token-metadata` in memory, for every chain: about half a kilobyte a token that has metadata. Invariant: what it says
 * of a token is the newest value read, in the order of the topic, so that all processes that came as far say the same.
 */
export class MetadataBook {
  readonly name = 'reader.token-metadata';
  private readonly chains = new Map<string, ChainAbouts>();
  /** How many tokens have each picture. */
  private readonly pictures = new Map<string, number>();
  private readonly imageBase: string | null;
  private next = 0n;

  constructor(private readonly deps: MetadataBookDeps) {
    const { publicUrl } = deps;
    this.imageBase = publicUrl?.startsWith('https:') === true ? `${publicUrl.replace(/\/$/, '')}/media/` : null;
  }

  /** As a supervised stage: follows the topic until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, pollMs = 1_000 } = this.deps;
    await log.ensureTopics([tokenMetadataTopic]);
    while (!signal.aborted) {
      const records = await log.readKeyed(tokenMetadataTopic, 0, this.next, RECORDS);
      for (const record of records) this.take(record);
      if (records.length === 0) await sleep(pollMs, signal);
    }
  }

  of(chain: string): SaidAbouts {
    return this.chain(chain);
  }

  /** Whether some token has the picture. */
  knowsPicture(name: string): boolean {
    return this.pictures.has(name);
  }

  private take({ key, value, offset }: KeyedRecord): void {
    this.next = offset + 1n;
    const subject = metadataSubject(key);
    if (subject === null) return;
    const said = value === null ? null : decodeMetadata(value);
    const about = said === null ? NOTHING_ABOUT : aboutOf(said, this.imageBase);
    const chain = this.chain(subject.chain);
    const before = chain.of(subject.token);
    chain.set(subject.token, about, offset);
    if (about.picture !== null) this.pictures.set(about.picture, (this.pictures.get(about.picture) ?? 0) + 1);
    if (before.picture === null) return;
    const left = (this.pictures.get(before.picture) ?? 1) - 1;
    if (left > 0) this.pictures.set(before.picture, left);
    else this.pictures.delete(before.picture);
  }

  private chain(slug: string): ChainAbouts {
    let known = this.chains.get(slug);
    if (known === undefined) {
      known = new ChainAbouts();
      this.chains.set(slug, known);
    }
    return known;
  }
}

class ChainAbouts implements SaidAbouts {
  version = '';
  private readonly known = new Map<Hex, TokenAbout>();
  private readonly watchers = new KeyWatchers<Hex>();

  of(token: Hex): TokenAbout {
    return this.known.get(token) ?? NOTHING_ABOUT;
  }

  watch(token: Hex, listener: () => void): () => void {
    return this.watchers.watch(token, listener);
  }

  /** A value that shows nothing else than the one before changes nothing. */
  set(token: Hex, about: TokenAbout, offset: bigint): void {
    if (same(this.of(token), about)) return;
    if (about === NOTHING_ABOUT) this.known.delete(token);
    else this.known.set(token, about);
    this.version = offset.toString();
    this.watchers.tell(token);
  }
}

const FIELDS = Object.keys(NOTHING_ABOUT) as (keyof TokenAbout)[];
const same = (a: TokenAbout, b: TokenAbout): boolean => FIELDS.every((field) => a[field] === b[field]);

function aboutOf(said: TokenMetadata, imageBase: string | null): TokenAbout {
  const { picture, description, twitter, telegram, website, discord } = said;
  const image = picture === null || imageBase === null ? null : imageBase + picture;
  const uri = said.uri !== null && said.uri.length <= LONGEST_SHOWN_URI && !/^data:/i.test(said.uri) ? said.uri : null;
  const about = { picture, image, description, twitter, telegram, website, discord, uri };
  return same(about, NOTHING_ABOUT) ? NOTHING_ABOUT : about;
}
