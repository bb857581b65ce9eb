// Room: a recorded chain, served in a loop. May import core, chain/chains, devkit/chain-builder.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { headerHash } from '#libs/devkit/chain-builder/block-hash.js';
import type { TokenSpec } from '#libs/devkit/chain-builder/market-state.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import { quantityText, type RpcHeader, type RpcTransaction } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { ServedBlock, ServedChain } from '#libs/devkit/chain-builder/served-chain.js';
import { resetBlock } from './loop-reset.js';
import { RecordedBlock, type Template, templateOf } from './recorded-block.js';
import { type RecordedLog, RecordedState } from './recorded-state.js';
import { type RecordedVenue, type Recording, surveyOf } from './recorded-survey.js';

export type { RecordedVenue } from './recorded-survey.js';

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

export const REPLAY_CHAIN_FILE = fileURLToPath(new URL('./fixtures/evm-replay-chain.json.gz', import.meta.url));

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
      number: quantityText(height),
      timestamp: quantityText(this.timestampAt(height)),
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

  /** Index of the template of a height; the reset's template is after the recorded ones. */
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
