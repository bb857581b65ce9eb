/**
 * Registry of topics. Sequenced topics hold groups with a gapless seq in one partition; keyed topics are for outsiders,
 * compacted ones keep the newest value of a key.
 */
export type TopicKind = 'sequenced' | 'keyed' | 'compacted';

export interface TopicSpec {
  name: string;
  kind: TopicKind;
  partitions: number;
  /** -1 keeps for ever. */
  retentionMs: number;
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

/** Sink intents: one compacted key per chain and generation, so that the newest intent survives. */
export const intentsTopic = (chain: string): TopicSpec => ({
  name: `intents.${chain}`,
  kind: 'compacted',
  partitions: 1,
  retentionMs: -1,
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
