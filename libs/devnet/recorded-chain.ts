import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { topic } from './abi-words.js';
import { headerHash } from './block-hash.js';
import { type RawBlock, resetBlock } from './loop-reset.js';
import type { TokenSpec } from './market-state.js';
import { OFFICIAL } from './official-addresses.js';
import { pairAddress } from './pair-rules.js';
import { type RecordedLog, RecordedState, tokenOfCreation } from './recorded-state.js';
import { quantity, type RpcHeader, type RpcReceipt, type RpcTransaction } from './rpc-shapes.js';
import type { LogKey, ServedBlock, ServedChain } from './served-chain.js';

/**
 * A recorded chain, served once or looped: the first pass is served as recorded, every further one is a block that
 * resets the pools' balances and then the blocks after the last pool creation again, with new heights, times, hashes
 * (parent links and header hashes are real) and transaction hashes. Blooms and receipts roots hold in every loop; in
 * repeated blocks `transactionsRoot` is the recorded one, so it does not match the made-up transaction hashes.
 */
export interface RecordedChainOptions {
  loops?: number;
  file?: string;
}

export interface RecordedVenue {
  venue: 'uniswap-v2' | 'uniswap-v3' | 'pancakeswap-v2' | 'pancakeswap-v3';
  factory: string;
}

interface Recording {
  chainId: string;
  blocks: RawBlock['block'][];
  receipts: RpcReceipt[][];
}

/** JSON texts of one recorded block, cut where a loop puts its own values in. */
interface Template {
  header: Omit<RpcHeader, 'hash'>;
  rest: Record<string, unknown>;
  keys: LogKey[];
  /** Text of each log up to its block hash, and after its transaction index. */
  logHeads: string[];
  logTails: string[];
  /** Data of each log, for state. */
  logData: string[];
  /** Transaction position of each log. */
  logTransactions: number[];
  transactions: RpcTransaction[];
  receipts: Omit<RpcReceipt, 'logs'>[];
  /** First log of each receipt, with the total at the end. */
  receiptStarts: number[];
  timestamp: number;
}

export const REPLAY_CHAIN_FILE = fileURLToPath(new URL('./fixtures/evm-replay-chain.json.gz', import.meta.url));

const PAIR_CREATED = topic('PairCreated(address,address,address,uint256)');
const POOL_CREATED = topic('PoolCreated(address,address,uint24,int24,address)');
const MINT_V3 = topic('Mint(address,address,int24,int24,uint128,uint256,uint256)');
const SWAP_CAKE_V3 = topic('Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)');

export class RecordedChain implements ServedChain {
  readonly chainId: number;
  readonly headHeight: number;
  readonly venues: readonly RecordedVenue[];
  readonly tokens: readonly TokenSpec[];
  readonly pools: ReadonlySet<string>;
  /** Where calls to multicall3 are answered; the recording itself has none. */
  readonly multicall3 = OFFICIAL.multicall3;
  readonly genesisHash: string;
  /** First height that further loops repeat, as a recorded height. */
  readonly loopStart: number;
  private readonly recordedHead: number;
  private readonly templates: Template[];
  private readonly hashes: string[] = [];
  private readonly heights = new Map<string, number>();
  /** Place of a recorded transaction, by the part of its hash that loops keep. */
  private readonly places = new Map<string, { base: number; index: number; lead: number }>();
  private readonly state: RecordedState;
  private readonly loopSeconds: number;

  constructor(options: RecordedChainOptions = {}) {
    const loops = options.loops ?? 1;
    if (!Number.isInteger(loops) || loops < 1) throw new RangeError(`loops must be a positive integer, not ${loops}`);
    const text = gunzipSync(readFileSync(options.file ?? REPLAY_CHAIN_FILE)).toString('utf8');
    const recording = JSON.parse(text) as Recording;
    this.chainId = Number(recording.chainId);
    const survey = surveyOf(recording);
    this.venues = survey.venues;
    this.pools = survey.pools;
    this.tokens = survey.tokens;
    this.loopStart = survey.lastCreation + 1;
    this.templates = recording.blocks.map((block, height) => templateOf(block, recording.receipts[height] ?? []));
    this.recordedHead = this.templates.length - 1;
    this.state = new RecordedState({
      tokens: this.tokens,
      heights: this.templates.length,
      logsAt: (height) => this.stateLogs(height),
      contracts: survey.contracts,
      v2Factories: new Set(this.venues.filter(({ venue }) => venue.endsWith('-v2')).map(({ factory }) => factory)),
      v3Factories: new Set(this.venues.filter(({ venue }) => venue.endsWith('-v3')).map(({ factory }) => factory)),
      multicall3: this.multicall3,
      timestampAt: (height) => this.timestampAt(height),
    });
    if (loops > 1) this.templates.push(this.resetTemplate(recording));
    this.headHeight = this.recordedHead + (loops - 1) * this.loopLength;
    this.loopSeconds = this.template(this.recordedHead).timestamp - this.template(this.loopStart).timestamp + 1;
    this.genesisHash = recording.blocks[0]?.hash ?? '';
    this.templates.forEach((template, base) => {
      template.transactions.forEach(({ hash }, index) => {
        this.places.set(hash.slice(10), { base, index, lead: Number.parseInt(hash.slice(2, 10), 16) });
      });
    });
    recording.blocks.forEach((block, height) => {
      this.know(height, block.hash);
    });
    for (let height = this.recordedHead + 1; height <= this.headHeight; height++) {
      this.know(height, `0x${headerHash(this.headerAt(height))}`);
    }
  }

  /** Logs of all blocks up to the head. */
  get logCount(): number {
    let recorded = 0;
    let repeated = 0;
    this.templates.forEach((template, base) => {
      if (base <= this.recordedHead) recorded += template.keys.length;
      if (base >= this.loopStart) repeated += template.keys.length;
    });
    return recorded + repeated * this.loopOf(this.headHeight);
  }

  tokenBySymbol(symbol: string): TokenSpec {
    const found = this.tokens.find((token) => token.symbol === symbol);
    if (!found) throw new RangeError(`the recording has no token ${symbol}`);
    return found;
  }

  blockAt(height: number): ServedBlock | null {
    return height >= 0 && height <= this.headHeight ? new RecordedBlock(this, height) : null;
  }

  blockByHash(hash: string): ServedBlock | null {
    const height = this.heights.get(hash);
    return height === undefined ? null : this.blockAt(height);
  }

  findTransaction(hash: string): { block: ServedBlock; index: number } | null {
    const place = this.places.get(hash.slice(10));
    if (!place) return null;
    const loop = (Number.parseInt(hash.slice(2, 10), 16) - place.lead + 0x100000000) % 0x100000000;
    const block = this.blockAt(this.heightOf(place.base, loop));
    if (!block || this.transactionHash(block.number, place.index) !== hash) return null;
    return { block, index: place.index };
  }

  onChange(): () => void {
    return () => undefined;
  }

  hashAt(height: number): string {
    return this.hashes[height] ?? `0x${'0'.repeat(64)}`;
  }

  timestampAt(height: number): number {
    return this.template(this.baseOf(height)).timestamp + this.loopOf(height) * this.loopSeconds;
  }

  headerAt(height: number): Omit<RpcHeader, 'hash'> {
    const { header } = this.templateAt(height);
    if (height <= this.recordedHead) return header;
    return {
      ...header,
      parentHash: this.hashAt(height - 1),
      number: quantity(height),
      timestamp: quantity(this.timestampAt(height)),
    };
  }

  templateAt(height: number): Template {
    return this.template(this.baseOf(height));
  }

  transactionHash(height: number, index: number): string {
    const recorded = (this.templateAt(height).transactions[index] as RpcTransaction).hash;
    const loop = this.loopOf(height);
    if (loop === 0) return recorded;
    const lead = (Number.parseInt(recorded.slice(2, 10), 16) + loop) % 0x100000000;
    return `0x${lead.toString(16).padStart(8, '0')}${recorded.slice(10)}`;
  }

  call(height: number, to: string, input: string): string {
    return this.state.call(this.stateHeight(height), to, input);
  }

  hasCode(height: number, address: string): boolean {
    return this.state.hasCode(this.stateHeight(height), address);
  }

  /** Blocks of a further loop: the reset and the repeated ones. */
  private get loopLength(): number {
    return this.recordedHead - this.loopStart + 2;
  }

  private loopOf(height: number): number {
    return height <= this.recordedHead ? 0 : Math.floor((height - this.recordedHead - 1) / this.loopLength) + 1;
  }

  /** Index of the template of a height; the reset's template stands behind the recorded ones. */
  private baseOf(height: number): number {
    if (height <= this.recordedHead) return height;
    const at = (height - this.recordedHead - 1) % this.loopLength;
    return at === 0 ? this.recordedHead + 1 : this.loopStart + at - 1;
  }

  private heightOf(base: number, loop: number): number {
    if (loop === 0) return base <= this.recordedHead ? base : -1;
    if (base < this.loopStart) return -1;
    const start = this.recordedHead + 1 + (loop - 1) * this.loopLength;
    return base > this.recordedHead ? start : start + 1 + base - this.loopStart;
  }

  /** Loops start from the same pool balances, so a state is that of the recorded height. */
  private stateHeight(height: number): number {
    const base = this.baseOf(height);
    return base > this.recordedHead ? this.loopStart - 1 : base;
  }

  private resetTemplate(recording: Recording): Template {
    const block = recording.blocks[this.loopStart];
    const receipts = recording.receipts[this.loopStart] ?? [];
    const treasury = receipts[0]?.to;
    if (!block || !treasury) throw new RangeError('the recording has no traffic to repeat');
    const start = this.state.at(this.loopStart - 1);
    const end = this.state.at(this.recordedHead);
    const reset = resetBlock(start, end, treasury, { block, receipts });
    return templateOf(reset.block, reset.receipts);
  }

  private template(base: number): Template {
    const template = this.templates[base];
    if (!template) throw new RangeError(`no recorded block ${base}`);
    return template;
  }

  private know(height: number, hash: string): void {
    this.hashes[height] = hash;
    this.heights.set(hash, height);
  }

  private stateLogs(height: number): RecordedLog[] {
    const { keys, logData } = this.templateAt(height);
    return keys.map((key, i) => ({ ...key, data: logData[i] as string }));
  }
}

class RecordedBlock implements ServedBlock {
  private readonly template: Template;
  /** The middle of every log of a transaction: its block, transaction and position. */
  private readonly middles: (string | undefined)[] = [];

  constructor(
    private readonly chain: RecordedChain,
    readonly number: number,
  ) {
    this.template = chain.templateAt(number);
  }

  get hash(): string {
    return this.chain.hashAt(this.number);
  }

  get parentHash(): string {
    return this.chain.headerAt(this.number).parentHash;
  }

  get logKeys(): readonly LogKey[] {
    return this.template.keys;
  }

  get transactionCount(): number {
    return this.template.transactions.length;
  }

  headerJson(): string {
    return JSON.stringify({ hash: this.hash, ...this.chain.headerAt(this.number) });
  }

  blockJson(full: boolean): string {
    const { rest, transactions } = this.template;
    const head = JSON.stringify({ hash: this.hash, ...this.chain.headerAt(this.number), ...rest }).slice(0, -1);
    const listed = transactions.map((_, index) =>
      full ? this.transactionJson(index) : `"${this.chain.transactionHash(this.number, index)}"`,
    );
    return `${head},"transactions":[${listed.join(',')}]}`;
  }

  logJson(index: number): string {
    const { logHeads, logTails, logTransactions } = this.template;
    const transaction = logTransactions[index] as number;
    this.middles[transaction] ??= this.middle(transaction);
    return (logHeads[index] as string) + this.middles[transaction] + (logTails[index] as string);
  }

  transactionJson(index: number): string {
    return JSON.stringify({
      ...this.template.transactions[index],
      hash: this.chain.transactionHash(this.number, index),
      blockHash: this.hash,
      blockNumber: quantity(this.number),
      blockTimestamp: quantity(this.chain.timestampAt(this.number)),
    });
  }

  receiptJson(index: number): string {
    const head = JSON.stringify({
      ...this.template.receipts[index],
      transactionHash: this.chain.transactionHash(this.number, index),
      blockHash: this.hash,
      blockNumber: quantity(this.number),
      blockTimestamp: quantity(this.chain.timestampAt(this.number)),
    }).slice(0, -1);
    const [first, end] = this.receiptLogs(index);
    const logs: string[] = [];
    for (let i = first; i < end; i++) logs.push(this.logJson(i));
    return `${head},"logs":[${logs.join(',')}]}`;
  }

  receiptLogs(index: number): [number, number] {
    const { receiptStarts } = this.template;
    return [receiptStarts[index] ?? 0, receiptStarts[index + 1] ?? 0];
  }

  call(to: string, input: string): string {
    return this.chain.call(this.number, to, input);
  }

  hasCode(address: string): boolean {
    return this.chain.hasCode(this.number, address);
  }

  private middle(transaction: number): string {
    const time = quantity(this.chain.timestampAt(this.number));
    const hash = this.chain.transactionHash(this.number, transaction);
    return (
      `"blockHash":"${this.hash}","blockNumber":"${quantity(this.number)}","blockTimestamp":"${time}",` +
      `"transactionHash":"${hash}","transactionIndex":"${quantity(transaction)}"`
    );
  }
}

function templateOf(block: Recording['blocks'][number], receipts: RpcReceipt[]): Template {
  const { hash: _hash, transactions, size, uncles, withdrawals, totalDifficulty, ...header } = block;
  const template: Template = {
    header,
    rest: { totalDifficulty, size, uncles, withdrawals },
    keys: [],
    logHeads: [],
    logTails: [],
    logData: [],
    logTransactions: [],
    transactions,
    receipts: [],
    receiptStarts: [],
    timestamp: Number(block.timestamp),
  };
  receipts.forEach(({ logs, ...receipt }, transaction) => {
    template.receiptStarts.push(template.keys.length);
    template.receipts.push(receipt);
    for (const { address, topics, data, logIndex } of logs) {
      template.keys.push({ address, topics });
      template.logData.push(data);
      template.logTransactions.push(transaction);
      template.logHeads.push(`${JSON.stringify({ address, topics, data }).slice(0, -1)},`);
      template.logTails.push(`,"logIndex":"${logIndex}","removed":false}`);
    }
  });
  template.receiptStarts.push(template.keys.length);
  return template;
}

interface Survey {
  venues: RecordedVenue[];
  tokens: TokenSpec[];
  pools: Set<string>;
  contracts: Set<string>;
  lastCreation: number;
}

/** What the recording says about its own contracts. */
function surveyOf(recording: Recording): Survey {
  const pairFactories = new Map<string, RecordedVenue['venue']>();
  const poolsOfFactory = new Map<string, Set<string>>();
  const cakePools = new Set<string>();
  const created = new Map<string, string>();
  const pools = new Set<string>();
  let lastCreation = 0;
  recording.receipts.forEach((receipts, height) => {
    receipts.forEach((receipt, index) => {
      const input = recording.blocks[height]?.transactions[index]?.input ?? '0x';
      if (receipt.contractAddress) created.set(receipt.contractAddress, input);
      for (const log of receipt.logs) {
        const [kind, topic1, topic2] = log.topics;
        if (kind === SWAP_CAKE_V3) cakePools.add(log.address);
        if (kind !== PAIR_CREATED && kind !== POOL_CREATED && kind !== MINT_V3) continue;
        lastCreation = height;
        if (kind === MINT_V3) continue;
        const pool = `0x${log.data.slice(kind === PAIR_CREATED ? 26 : 90, kind === PAIR_CREATED ? 66 : 130)}`;
        pools.add(pool);
        if (kind === POOL_CREATED) {
          const known = poolsOfFactory.get(log.address) ?? new Set();
          poolsOfFactory.set(log.address, known.add(pool));
        } else {
          const [token0, token1] = [`0x${topic1?.slice(26)}`, `0x${topic2?.slice(26)}`];
          const genuine = pairAddress(log.address, token0, token1) === pool;
          pairFactories.set(log.address, genuine ? 'uniswap-v2' : 'pancakeswap-v2');
        }
      }
    });
  });
  const venues: RecordedVenue[] = [...pairFactories].map(([factory, venue]) => ({ venue, factory }));
  for (const [factory, own] of poolsOfFactory) {
    const cake = [...own].some((pool) => cakePools.has(pool));
    venues.push({ venue: cake ? 'pancakeswap-v3' : 'uniswap-v3', factory });
  }
  const tokens = [...created].flatMap(([contract, input]) => tokenOfCreation(contract, input) ?? []);
  return { venues, tokens, pools, contracts: new Set(created.keys()), lastCreation };
}
