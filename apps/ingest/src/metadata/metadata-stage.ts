import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { steadyNow } from '#libs/core/steady-clock.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import type { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { decodeBlocksGroup, tellsOfTokens } from '#libs/protocol/codec/blocks-codec.js';
import { launchFileIn } from '#libs/protocol/launch-files.js';
import { blocksTopic, epochsTopic, tokenMetadataTopic } from '#libs/protocol/topics.js';
import { readServedEpoch, runUntilChanged, waitForEpoch } from '../served-epoch.js';
import { together } from '../together.js';
import type { TokenUris } from './contract-uri.js';
import { FollowedTokens, type LaunchMarks } from './followed-tokens.js';
import { MetadataLedger } from './metadata-ledger.js';
import { fetchMetadata, type ReadingDeps } from './metadata-reading.js';
import { TokenSources } from './token-sources.js';

export interface MetadataStageDeps {
  log: EventLog;
  chain: ChainSpec;
  pictures: Pick<PictureTable, 'ensure' | 'names' | 'insert'>;
  reading: ReadingDeps;
  /** Null: no router's files are marked. */
  marks?: LaunchMarks | null;
  /** What the contracts of an EVM chain are asked with; null where the blocks say it. Made for each run. */
  uris: () => Promise<TokenUris | null>;
  /** Sources that are read at the same time. */
  readers?: number;
  now?: () => number;
  pollMs?: number;
}

/** At least so many groups between two statements of the place. */
const PLACE_EVERY = 200;

/**
 * Reads the metadata of the tokens of one chain: follows its blocks for where they are, fetches them, and states what was found in
 * the topic `token-metadata`; pictures go into their table first. No part of the fold: nothing is computed from it, and what is
 * stated is never fetched again. A token that is waiting or failed is in the topic as such, so that a restart forgets none.
 */
export class MetadataStage implements SupervisedStage {
  readonly name: string;
  private ledger: MetadataLedger | null = null;
  /** The pause that all readers share which have nothing to read. */
  private resting: Promise<void> | null = null;

  constructor(private readonly deps: MetadataStageDeps) {
    this.name = `metadata.${deps.chain.slug}`;
  }

  status() {
    return { chain: this.deps.chain.slug, ...this.ledger?.counts() };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, chain, pictures, marks, readers = 4 } = this.deps;
    await log.ensureTopics([epochsTopic, tokenMetadataTopic]);
    await pictures.ensure();
    const uris = await this.deps.uris();
    const writer = await log.openWriter(this.name);
    try {
      const ledger = new MetadataLedger(chain.slug, writer);
      ledger.load(await log.readCompacted(tokenMetadataTopic), await pictures.names());
      this.ledger = ledger;
      await together(signal, [
        (own) => this.follow(ledger, own),
        ...Array.from({ length: readers }, () => (own: AbortSignal) => this.readOn(ledger, uris, own)),
      ]);
    } finally {
      await closed(writer, uris, marks);
    }
  }

  /** Follows the blocks of what is served; a new epoch is followed from its beginning. */
  private async follow(ledger: MetadataLedger, signal: AbortSignal): Promise<void> {
    const { log, chain, pollMs } = this.deps;
    while (!signal.aborted) {
      const served = await waitForEpoch(log, chain.slug, signal, pollMs);
      if (served === null) return;
      const changed = async () => (await readServedEpoch(log, chain.slug))?.epoch !== served.epoch;
      await runUntilChanged((own) => this.followEpoch(ledger, served.epoch, own), changed, signal, pollMs);
    }
  }

  private async followEpoch(ledger: MetadataLedger, epoch: number, signal: AbortSignal): Promise<void> {
    const { log, chain, marks } = this.deps;
    const topic = blocksTopic(chain.slug, epoch);
    const followed = marks ? new FollowedTokens(chain.slug, marks) : null;
    let time = 0;
    const sources = new TokenSources(chain.family);
    const first = (await log.firstGroup(topic))?.seq ?? 0;
    const fromSeq = Math.max(first, ledger.place?.epoch === epoch ? ledger.place.seq + 1 : 0);
    for await (const records of log.readGroups(topic, { fromSeq, signal })) {
      const news = records.flatMap(({ seq, value }) => {
        if (tellsOfTokens(value)) {
          const group = decodeBlocksGroup(value);
          if (group.kind === 'block') time = Math.max(time, group.time);
          return sources.take(group);
        }
        sources.pass(seq);
        return [];
      });
      const known = ledger.place?.epoch === epoch ? ledger.place.seq : -1;
      const place = sources.settled >= known + PLACE_EVERY ? { epoch, seq: sources.settled } : null;
      await ledger.learn(news, place);
      await followed?.reached(time, () => ledger.untried());
    }
  }

  /** Reads one source after the other. */
  private async readOn(ledger: MetadataLedger, uris: TokenUris | null, signal: AbortSignal): Promise<void> {
    const { now = steadyNow } = this.deps;
    while (!signal.aborted) {
      const token = ledger.take(now());
      if (token === null) await this.rest(signal);
      else await this.read(ledger, token, uris, signal);
    }
  }

  private rest(signal: AbortSignal): Promise<void> {
    this.resting ??= pause(this.deps.pollMs ?? 250, signal).finally(() => {
      this.resting = null;
    });
    return this.resting;
  }

  private async read(ledger: MetadataLedger, token: Hex, uris: TokenUris | null, signal: AbortSignal): Promise<void> {
    const { pictures, reading, marks, now = steadyNow } = this.deps;
    const before = ledger.pending(token);
    if (before === null) return;
    const uri = before.uri ?? (await uris?.uriOf(token, signal)) ?? null;
    if (uri === null) return ledger.forget(token, before);
    const file = launchFileIn(uri);
    if (file !== null) await marks?.tokenSeen(file);
    const { document, picture, ...outcome } = await fetchMetadata(uri, reading);
    // What was cut short at the end of the program is read again at its next start.
    if (signal.aborted) return;
    if (picture !== null && !ledger.hasPicture(picture.name))
      await pictures.insert(picture.name, picture.content, now());
    await ledger.state(token, before, uri, { ...outcome, ...document, picture: picture?.name ?? null }, now());
  }
}

async function closed(...parts: (Pick<LogWriter, 'close'> | null | undefined)[]): Promise<void> {
  await Promise.all(parts.map((part) => part?.close()));
}
