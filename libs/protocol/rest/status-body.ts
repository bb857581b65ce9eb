import { ChainsMeta } from './chain-body.js';
import {
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
  @integer('Height of the newest block in the log.')
  block!: number;

  @text('Its hash.')
  hash!: string;

  @integer('Its time, Unix ms.')
  time!: number;
}

export class StatusIndexed {
  @integer('Height of the newest block that answers include.')
  block!: number;

  @integerOrNull('Height up to which the tables hold it; blocks above it are answered from memory.')
  checkpointBlock!: number | null;
}

export class HistoryProgress {
  @integer('First block of this run over history.')
  fromBlock!: number;

  @integer('Newest block of it in the log.')
  block!: number;

  @integer('Last block of it.')
  toBlock!: number;

  @number('How much of it is done, 0-100.')
  percent!: number;

  @number('Blocks a second, over the last seconds.')
  blocksPerSecond!: number;

  @numberOrNull('Seconds until it is done at this speed; null while the speed is not known.')
  etaSeconds!: number | null;
}

export class LastReorg {
  @integer('When it was noticed, Unix ms.')
  time!: number;

  @integer('How many blocks were replaced.')
  depth!: number;

  @integer('Height of the first block that was replaced.')
  fromBlock!: number;
}

export class ReorgStatus {
  @integer('Reorganizations since `since`.')
  count!: number;

  @integer('Blocks replaced by the deepest of them; 0 without any.')
  deepest!: number;

  @objectOrNull(() => LastReorg, 'The last of them.')
  last!: LastReorg | null;

  @integerOrNull('Since when they are counted, Unix ms: the start of the process that reads the chain.')
  since!: number | null;
}

export class NodeStatus {
  @text('Which node: its number in the configuration, from 1.', { example: 'node 1' })
  name!: string;

  @text('http answers questions; ws and grpc only announce or stream new blocks.', { enum: ['http', 'ws', 'grpc'] })
  transport!: 'http' | 'ws' | 'grpc';

  @flag('False while its last answer was a failure, or while it is not used at all.')
  ok!: boolean;

  @textOrNull('What is wrong with it and what to do, in plain words; null when nothing is.')
  problem!: string | null;

  @integerOrNull('When that was seen last, Unix ms.')
  problemAt!: number | null;
}

export class ChainStatus {
  @text('Slug of the chain.', { example: 'eth' })
  chain!: string;

  @text('Name for people.')
  name!: string;

  @text(
    'starting: opens log and nodes. history: catches up. live: follows the head. waiting: the nodes announce nothing new. stopped: needs attention. unknown: nothing was heard of it.',
    { enum: [...chainStates] },
  )
  state!: ChainState;

  @objectOrNull(() => StatusHead, 'Newest block in the log; null before the first.')
  head!: StatusHead | null;

  @integerOrNull('Newest height that the nodes claim.')
  chainHead!: number | null;

  @numberOrNull('Age of the newest block in the log, in seconds.')
  lagSeconds!: number | null;

  @integerOrNull("Blocks between the log and the nodes' head.")
  lagBlocks!: number | null;

  @integerOrNull("Height up to which the chain's own finality reaches.")
  finalized!: number | null;

  @integerOrNull('Height up to which nothing is expected to change any more.')
  sealed!: number | null;

  @objectOrNull(() => StatusIndexed, 'How far answers are; null while this instance cannot serve the chain.')
  indexed!: StatusIndexed | null;

  @objectOrNull(() => HistoryProgress, 'How far the run over history is; null at the head.')
  progress!: HistoryProgress | null;

  @object(() => ReorgStatus, 'Reorganizations seen.')
  reorgs!: ReorgStatus;

  @list(() => NodeStatus, 'The nodes of the chain, in the order of preference.')
  rpc!: NodeStatus[];

  @textOrNull('What keeps the chain from moving or from being served, in plain words; null when nothing does.')
  trouble!: string | null;

  @integerOrNull('When the process that reads the chain last spoke, Unix ms; null when it never did.')
  updatedAt!: number | null;
}

export class TopicStatus {
  @text('Name of the topic.', { example: 'facts.eth.e1.f1' })
  name!: string;

  @integer('Records it holds.')
  records!: number;

  @integerOrNull('Bytes it takes; null where the log cannot tell.')
  bytes!: number | null;

  @integerOrNull('First seq that is kept; null for topics without one.')
  firstSeq!: number | null;

  @integerOrNull('Last seq; null for topics without one.')
  lastSeq!: number | null;
}

export class RouterStatus {
  @text('Base address of its routes.', { example: 'http://127.0.0.1:4100' })
  url!: string;
}

export class StatusBody {
  @text('Version of the program.')
  version!: string;

  @integer('When this process started, Unix ms.')
  startedAt!: number;

  @integer('When this was put together, Unix ms.')
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
