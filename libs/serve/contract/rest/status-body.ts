import { payload } from '../schema/property.js';
import { ChainsMeta } from './chain-body.js';
import { EXAMPLE_CHAIN } from './examples.js';
import {
  chainSlug,
  flag,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  objectOrNull,
  text,
  textOrNull,
} from './field.js';

/**
 * What a dashboard shows of an instance. Nothing in it names an address of a node, a host or a key: nodes are numbered
 * in the order in which the configuration lists them, and troubles are said in words of our own.
 */
export const chainStates = ['starting', 'history', 'live', 'waiting', 'stopped', 'unknown'] as const;
export type ChainState = (typeof chainStates)[number];

export class StatusHead extends payload({
  block: integer('Height of the newest block in the log.', { example: 21_000_000 }),
  hash: text('Its hash.', { example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f' }),
  time: integer('Its time, Unix ms.', { example: 1_730_000_000_000 }),
}) {}

class StatusIndexed extends payload({
  block: integer('Height of the newest block that answers include.', { example: 21_000_000 }),
  checkpointBlock: integerOrNull('Height up to which the tables hold it; blocks above it are answered from memory.', {
    example: 20_999_998,
  }),
}) {}

export class HistoryProgress extends payload({
  fromBlock: integer('First block of this run over history.', { example: 20_999_000 }),
  block: integer('Newest block of it in the log.', { example: 21_000_000 }),
  toBlock: integer('Last block of it.', { example: 21_000_000 }),
  percent: number('How much of it is done, 0-100.', { example: 99.8 }),
  blocksPerSecond: number('Blocks a second, over the last seconds.', { example: 412.5 }),
  etaSeconds: numberOrNull('Seconds until it is done at this speed; null while the speed is not known.', {
    example: 3.1,
  }),
}) {}

export class BuildingStatus extends payload({
  version: textOrNull('Epoch and fold version that are built next to what is served; null until that is decided.', {
    example: 'e1.f3',
  }),
  served: textOrNull(
    'Epoch and fold version that are served meanwhile; null while blocks for the new one are only read.',
    {
      example: 'e1.f2',
    },
  ),
  reason: text('Why it is built, in plain words.', { example: 'fold version 3 instead of 2' }),
  percent: number('How much of it is done, 0-100.', { example: 43.2 }),
  block: integerOrNull('Newest height that its tables hold; null before the first.', { example: 20_999_431 }),
  etaSeconds: numberOrNull(
    'Seconds until it is served, at the speed of the last seconds; null while that is not known.',
    {
      example: 80,
    },
  ),
  waiting: textOrNull('What it waits for and what an operator does about it; null when it waits for nothing.', {
    example: null,
  }),
}) {}

export class LastReorg extends payload({
  time: integer('When it was noticed, Unix ms.', { example: 1_730_000_000_000 }),
  depth: integer('How many blocks were replaced.', { example: 1 }),
  fromBlock: integer('Height of the first block that was replaced.', { example: 20_999_000 }),
}) {}

export class ReorgStatus extends payload({
  count: integer('Reorganizations since `since`.', { example: 2 }),
  deepest: integer('Blocks replaced by the deepest of them; 0 without any.', { example: 1 }),
  last: objectOrNull(() => LastReorg, 'The last of them.'),
  since: integerOrNull('Since when they are counted, Unix ms: the start of the process that reads the chain.', {
    example: 1_729_990_000_000,
  }),
}) {}

export class NodeStatus extends payload({
  name: text('Which node: its number in the configuration, from 1.', { example: 'node 1' }),
  transport: text<'http' | 'ws' | 'grpc'>('http answers questions; ws and grpc only announce or stream new blocks.', {
    enum: ['http', 'ws', 'grpc'],
  }),
  ok: flag('False while its last answer was a failure, or while it is not used at all.'),
  problem: textOrNull('What is wrong with it and what to do, in plain words; null when nothing is.', { example: null }),
  problemAt: integerOrNull('When that was seen last, Unix ms.', { example: null }),
}) {}

export class ChainStatus extends payload({
  chain: chainSlug(),
  name: text('Name for people.', { example: 'Ethereum' }),
  state: text<ChainState>(
    'starting: opens log and nodes. history: catches up. live: follows the head. waiting: the nodes announce nothing new. stopped: needs attention. unknown: nothing was heard of it.',
    { enum: [...chainStates] },
  ),
  head: objectOrNull(() => StatusHead, 'Newest block in the log; null before the first.'),
  chainHead: integerOrNull('Newest height that the nodes claim.', { example: 21_000_001 }),
  lagSeconds: numberOrNull('Age of the newest block in the log, in seconds.', { example: 1.2 }),
  lagBlocks: integerOrNull("Blocks between the log and the nodes' head.", { example: 1 }),
  finalized: integerOrNull("Height up to which the chain's own finality reaches.", { example: 20_999_936 }),
  sealed: integerOrNull('Height up to which nothing is expected to change any more.', { example: 20_999_936 }),
  indexed: objectOrNull(() => StatusIndexed, 'How far answers are; null while this instance cannot serve the chain.'),
  progress: objectOrNull(() => HistoryProgress, 'How far the run over history is; null at the head.'),
  building: objectOrNull(
    () => BuildingStatus,
    'Another version of its data that is built next to the served one; null at rest.',
  ),
  reorgs: object(() => ReorgStatus, 'Reorganizations seen.'),
  rpc: list(() => NodeStatus, 'The nodes of the chain, in the order of preference.'),
  trouble: textOrNull(
    'What keeps the chain from moving or from being served, in plain words; null when nothing does.',
    {
      example: null,
    },
  ),
  updatedAt: integerOrNull('When the process that reads the chain last spoke, Unix ms; null when it never did.', {
    example: 1_730_000_000_000,
  }),
}) {}

export class TopicStatus extends payload({
  name: text('Name of the topic.', { example: `facts.${EXAMPLE_CHAIN}.e1.f1` }),
  records: integer('Records it holds.', { example: 48_212 }),
  bytes: integerOrNull('Bytes it takes; null where the log cannot tell.', { example: 91_204_118 }),
  firstSeq: integerOrNull('First seq that is kept; null for topics without one.', { example: 0 }),
  lastSeq: integerOrNull('Last seq; null for topics without one.', { example: 48_211 }),
}) {}

class RouterStatus extends payload({
  url: text('Base address of its routes.', { example: 'http://127.0.0.1:4100' }),
}) {}

export class StatusBody extends payload({
  version: text('Version of the program.', { example: '0.1.0' }),
  startedAt: integer('When this process started, Unix ms.', { example: 1_729_990_000_000 }),
  time: integer('When this was put together, Unix ms.', { example: 1_730_000_000_000 }),
  chains: list(() => ChainStatus, 'The chains that this instance serves.'),
  topics: list(() => TopicStatus, 'Topics of the event log, by name.'),
  router: objectOrNull(() => RouterStatus, 'The swap router that belongs to this instance; null when none is known.'),
}) {}

export class StatusAnswer extends payload({
  data: object(() => StatusBody, 'The state.'),
  meta: object(() => ChainsMeta, 'What every chain that can be served now would be answered from.'),
}) {}
