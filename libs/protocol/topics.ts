// Room: the records of the log, their binary codecs and the names of the topics. May import core.

/**
 * Registry of topics. Sequenced topics hold groups with a gapless seq in one partition; keyed topics are for outsiders,
 * compacted ones keep the newest value of a key.
 */
type TopicKind = 'sequenced' | 'keyed' | 'compacted';

export interface TopicSpec {
  name: string;
  kind: TopicKind;
  partitions: number;
  /** -1 keeps records without a limit. */
  retentionMs: number;
  /**
   * Compacted topics whose keys change all the time: after so long a broker closes a segment and may compact it. The
   * broker's own default is a week.
   */
  segmentMs?: number;
}

export const blocksTopic = (chain: string, epoch: number): TopicSpec => ({
  name: `blocks.${chain}.e${epoch}`,
  kind: 'sequenced',
  partitions: 1,
  retentionMs: -1,
});

export const factsTopic = (chain: string, epoch: number, foldVersion: number): TopicSpec => ({
  name: `facts.${chain}.e${epoch}.f${foldVersion}`,
  kind: 'sequenced',
  partitions: 1,
  retentionMs: -1,
});

/**
 * The newest state of every pool of a facts topic, so that a router need not read facts from their beginning:
 * key = pool, `@` = how far they reach.
 */
export const poolsTopic = (chain: string, epoch: number, foldVersion: number): TopicSpec => ({
  name: `pools.${chain}.e${epoch}.f${foldVersion}`,
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 3_600_000,
});

/** Sink intents: one compacted key per chain and generation, so that the newest intent survives. */
export const intentsTopic = (chain: string): TopicSpec => ({
  name: `intents.${chain}`,
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
});

/**
 * Who writes a chain: key = chain slug, renewed every few seconds. A topic for each chain, so that what one process left open is
 * in no other chain's way.
 */
export const leaseTopic = (chain: string): TopicSpec => ({
  name: `ingest-lease.${chain}`,
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 600_000,
});

/** Which epoch and fold version of a chain is served: key = chain slug. */
export const epochsTopic: TopicSpec = { name: 'epochs', kind: 'compacted', partitions: 1, retentionMs: -1 };

export const tradesTopic: TopicSpec = { name: 'trades', kind: 'keyed', partitions: 8, retentionMs: 7 * 86_400_000 };
export const retractionsTopic: TopicSpec = {
  name: 'retractions',
  kind: 'keyed',
  partitions: 8,
  retentionMs: 7 * 86_400_000,
};
export const deadLettersTopic: TopicSpec = { name: 'dead-letters', kind: 'keyed', partitions: 1, retentionMs: -1 };

/** What each chain's ingest says of itself, for dashboards: key = chain slug. Nothing is computed from it. */
export const ingestStatusTopic: TopicSpec = {
  name: 'ingest-status',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 600_000,
};

/** What the routers' builds promised and what the swaps gave: key = id of the build. Several routers write it. */
export const quoteReceiptsTopic: TopicSpec = {
  name: 'quote-receipts',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 3_600_000,
};

/** Metadata of the tokens that routers built creates of: key = name of the file, which follows from its content. */
export const launchMetadataTopic: TopicSpec = {
  name: 'launch-metadata',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
};

/**
 * What was read where tokens' metadata lead: key = `<chain>.<token>`, and `<chain>.@` for how far the blocks were followed. It is
 * no fact of a chain: it has a time of its own.
 */
export const tokenMetadataTopic: TopicSpec = {
  name: 'token-metadata',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 3_600_000,
};

/** What simulations found of the tokens of EVM chains: key = `<chain>.<token>`. It is no fact of a chain: it has a time of its own. */
export const tokenSafetyTopic: TopicSpec = {
  name: 'token-safety',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 3_600_000,
};

/** Tokens that clients asked for before a look at them: key as there. Every api and router writes it; a look removes its key. */
export const tokenAsksTopic: TopicSpec = {
  name: 'token-asks',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 600_000,
};

/** Plans, accounts, keys and grants, each under its own key; every app that asks for keys follows it. */
export const accountsTopic: TopicSpec = { name: 'accounts', kind: 'compacted', partitions: 1, retentionMs: -1 };

/** What accounts spent: each process states its own count of an account and day again and again. */
export const usageTopic: TopicSpec = {
  name: 'usage',
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
  segmentMs: 3_600_000,
};

/** What every instance behind one address signs page cursors with. */
export const secretsTopic: TopicSpec = { name: 'secrets', kind: 'compacted', partitions: 1, retentionMs: -1 };

export const fixedTopics: readonly TopicSpec[] = [
  epochsTopic,
  tradesTopic,
  retractionsTopic,
  deadLettersTopic,
  ingestStatusTopic,
  quoteReceiptsTopic,
  launchMetadataTopic,
  tokenMetadataTopic,
  tokenSafetyTopic,
  tokenAsksTopic,
  accountsTopic,
  usageTopic,
  secretsTopic,
];

/** The specification of a topic from its name; null when no topic of this program is called so. */
export function topicByName(name: string): TopicSpec | null {
  const blocks = /^blocks\.([a-z0-9]+)\.e(\d+)$/.exec(name);
  if (blocks) return blocksTopic(blocks[1]!, Number(blocks[2]));
  const facts = /^facts\.([a-z0-9]+)\.e(\d+)\.f(\d+)$/.exec(name);
  if (facts) return factsTopic(facts[1]!, Number(facts[2]), Number(facts[3]));
  const pools = /^pools\.([a-z0-9]+)\.e(\d+)\.f(\d+)$/.exec(name);
  if (pools) return poolsTopic(pools[1]!, Number(pools[2]), Number(pools[3]));
  const intents = /^intents\.([a-z0-9]+)$/.exec(name);
  if (intents) return intentsTopic(intents[1]!);
  const lease = /^ingest-lease\.([a-z0-9]+)$/.exec(name);
  if (lease) return leaseTopic(lease[1]!);
  return fixedTopics.find((topic) => topic.name === name) ?? null;
}
