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

export class StatusHead {
  @integer('Height of the newest block in the log.', { example: 21_000_000 })
  block!: number;

  @text('Its hash.', { example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f' })
  hash!: string;

  @integer('Its time, Unix ms.', { example: 1_730_000_000_000 })
  time!: number;
}

export class StatusIndexed {
  @integer('Height of the newest block that answers include.', { example: 21_000_000 })
  block!: number;

  @integerOrNull('Height up to which the tables hold it; blocks above it are answered from memory.', {
    example: 20_999_998,
  })
  checkpointBlock!: number | null;
}

export class HistoryProgress {
  @integer('First block of this run over history.', { example: 20_999_000 })
  fromBlock!: number;

  @integer('Newest block of it in the log.', { example: 21_000_000 })
  block!: number;

  @integer('Last block of it.', { example: 21_000_000 })
  toBlock!: number;

  @number('How much of it is done, 0-100.', { example: 99.8 })
  percent!: number;

  @number('Blocks a second, over the last seconds.', { example: 412.5 })
  blocksPerSecond!: number;

  @numberOrNull('Seconds until it is done at this speed; null while the speed is not known.', { example: 3.1 })
  etaSeconds!: number | null;
}

export class BuildingStatus {
  @textOrNull('Epoch and fold version that are built next to what is served; null until that is decided.', {
    example: 'e1.f3',
  })
  version!: string | null;

  @textOrNull('Epoch and fold version that are served meanwhile; null while blocks for the new one are only read.', {
    example: 'e1.f2',
  })
  served!: string | null;

  @text('Why it is built, in plain words.', { example: 'fold version 3 instead of 2' })
  reason!: string;

  @number('How much of it is done, 0-100.', { example: 43.2 })
  percent!: number;

  @integerOrNull('Newest height that its tables hold; null before the first.', { example: 20_999_431 })
  block!: number | null;

  @numberOrNull('Seconds until it is served, at the speed of the last seconds; null while that is not known.', {
    example: 80,
  })
  etaSeconds!: number | null;

  @textOrNull('What it waits for and what an operator does about it; null when it waits for nothing.', {
    example: null,
  })
  waiting!: string | null;
}

export class LastReorg {
  @integer('When it was noticed, Unix ms.', { example: 1_730_000_000_000 })
  time!: number;

  @integer('How many blocks were replaced.', { example: 1 })
  depth!: number;

  @integer('Height of the first block that was replaced.', { example: 20_999_000 })
  fromBlock!: number;
}

export class ReorgStatus {
  @integer('Reorganizations since `since`.', { example: 2 })
  count!: number;

  @integer('Blocks replaced by the deepest of them; 0 without any.', { example: 1 })
  deepest!: number;

  @objectOrNull(() => LastReorg, 'The last of them.')
  last!: LastReorg | null;

  @integerOrNull('Since when they are counted, Unix ms: the start of the process that reads the chain.', {
    example: 1_729_990_000_000,
  })
  since!: number | null;
}

export class NodeStatus {
  @text('Which node: its number in the configuration, from 1.', { example: 'node 1' })
  name!: string;

  @text('http answers questions; ws and grpc only announce or stream new blocks.', { enum: ['http', 'ws', 'grpc'] })
  transport!: 'http' | 'ws' | 'grpc';

  @flag('False while its last answer was a failure, or while it is not used at all.')
  ok!: boolean;

  @textOrNull('What is wrong with it and what to do, in plain words; null when nothing is.', { example: null })
  problem!: string | null;

  @integerOrNull('When that was seen last, Unix ms.', { example: null })
  problemAt!: number | null;
}

export class ChainStatus {
  @chainSlug()
  chain!: string;

  @text('Name for people.', { example: 'Ethereum' })
  name!: string;

  @text(
    'starting: opens log and nodes. history: catches up. live: follows the head. waiting: the nodes announce nothing new. stopped: needs attention. unknown: nothing was heard of it.',
    { enum: [...chainStates] },
  )
  state!: ChainState;

  @objectOrNull(() => StatusHead, 'Newest block in the log; null before the first.')
  head!: StatusHead | null;

  @integerOrNull('Newest height that the nodes claim.', { example: 21_000_001 })
  chainHead!: number | null;

  @numberOrNull('Age of the newest block in the log, in seconds.', { example: 1.2 })
  lagSeconds!: number | null;

  @integerOrNull("Blocks between the log and the nodes' head.", { example: 1 })
  lagBlocks!: number | null;

  @integerOrNull("Height up to which the chain's own finality reaches.", { example: 20_999_936 })
  finalized!: number | null;

  @integerOrNull('Height up to which nothing is expected to change any more.', { example: 20_999_936 })
  sealed!: number | null;

  @objectOrNull(() => StatusIndexed, 'How far answers are; null while this instance cannot serve the chain.')
  indexed!: StatusIndexed | null;

  @objectOrNull(() => HistoryProgress, 'How far the run over history is; null at the head.')
  progress!: HistoryProgress | null;

  @objectOrNull(() => BuildingStatus, 'Another version of its data that is built next to the served one; null at rest.')
  building!: BuildingStatus | null;

  @object(() => ReorgStatus, 'Reorganizations seen.')
  reorgs!: ReorgStatus;

  @list(() => NodeStatus, 'The nodes of the chain, in the order of preference.')
  rpc!: NodeStatus[];

  @textOrNull('What keeps the chain from moving or from being served, in plain words; null when nothing does.', {
    example: null,
  })
  trouble!: string | null;

  @integerOrNull('When the process that reads the chain last spoke, Unix ms; null when it never did.', {
    example: 1_730_000_000_000,
  })
  updatedAt!: number | null;
}

export class TopicStatus {
  @text('Name of the topic.', { example: `facts.${EXAMPLE_CHAIN}.e1.f1` })
  name!: string;

  @integer('Records it holds.', { example: 48_212 })
  records!: number;

  @integerOrNull('Bytes it takes; null where the log cannot tell.', { example: 91_204_118 })
  bytes!: number | null;

  @integerOrNull('First seq that is kept; null for topics without one.', { example: 0 })
  firstSeq!: number | null;

  @integerOrNull('Last seq; null for topics without one.', { example: 48_211 })
  lastSeq!: number | null;
}

export class RouterStatus {
  @text('Base address of its routes.', { example: 'http://127.0.0.1:4100' })
  url!: string;
}

export class StatusBody {
  @text('Version of the program.', { example: '0.1.0' })
  version!: string;

  @integer('When this process started, Unix ms.', { example: 1_729_990_000_000 })
  startedAt!: number;

  @integer('When this was put together, Unix ms.', { example: 1_730_000_000_000 })
  time!: number;

  @list(() => ChainStatus, 'The chains that this instance serves.')
  chains!: ChainStatus[];

  @list(() => TopicStatus, 'Topics of the event log, by name.')
  topics!: TopicStatus[];

  @objectOrNull(() => RouterStatus, 'The swap router that belongs to this instance; null when none is known.')
  router!: RouterStatus | null;
}

export class StatusAnswer {
  @object(() => StatusBody, 'The state.')
  data!: StatusBody;

  @object(() => ChainsMeta, 'What every chain that can be served now would be answered from.')
  meta!: ChainsMeta;
}
