import type { Dispatcher } from 'undici';
import type { RpcCall } from '../../rpc/call-list.js';
import { type EndpointOptions, JsonRpcEndpoint } from '../../rpc/endpoint.js';
import { RpcError } from '../../rpc/rpc-error.js';
import { isJsonRecord, MalformedTransactionError } from '../malformed.js';
import { type BlockAnswer, IN_ANSWER, readBlock } from './block-scanner.js';
import { IncompleteBlockError, type KnownOutcomes } from './known-outcomes.js';
import { hashOf, isSlot, type NodeBlock, type NodeHeader, readEntries, readNodeHeader } from './node-block.js';

/** Slots at which a chain is settled: what is confirmed, and what is final. */
export interface Tips {
  readonly confirmed: number;
  /** Null where the node does not say. */
  readonly finalized: number | null;
}

export interface FetchedBlock {
  readonly block: NodeBlock;
  /** Bytes of the whole answer. */
  readonly bytes: number;
}

/** A block by the names of its transactions alone, votes counted. */
export interface SignedHeader extends NodeHeader {
  /** Base58, in the order of the block. */
  readonly signatures: readonly string[];
}

/** Versions of transactions that are understood; a node that knows fewer is asked for those. */
const VERSIONS = [1, 0];
const COMMITMENT = { commitment: 'confirmed' };

/** The configuration of a question for whole blocks; the same over HTTP and for a subscription. */
export const wholeBlocks = (version: number): object => ({
  ...COMMITMENT,
  encoding: 'json',
  transactionDetails: 'full',
  maxSupportedTransactionVersion: version,
});
export const newestVersion = VERSIONS[0]!;
export const olderVersion = (version: number): number | null => VERSIONS[VERSIONS.indexOf(version) + 1] ?? null;

/** One Solana node behind one URL. Everything it says is of commitment `confirmed` unless named otherwise. */
export class SolanaEndpoint extends JsonRpcEndpoint {
  protected readonly charset = 'utf8';
  protected readonly family = 'solana';
  private version = newestVersion;

  constructor(
    index: number,
    url: string,
    dispatcher: Dispatcher,
    options: EndpointOptions,
    private readonly outcomes: KnownOutcomes,
  ) {
    super(index, url, dispatcher, options);
  }

  async genesisHash(signal?: AbortSignal): Promise<string> {
    const hash = hashOf(await this.call<unknown>('getGenesisHash', [], signal));
    if (hash === null) throw this.error('invalid', 'a genesis hash that is none');
    return hash;
  }

  async tips(signal?: AbortSignal): Promise<Tips> {
    const [confirmed, finalized] = await this.batch(
      [COMMITMENT, { commitment: 'finalized' }].map((config) => ({ method: 'getSlot', params: [config] })),
      signal,
    );
    if (confirmed!.error) throw confirmed!.error;
    return {
      confirmed: this.slot(confirmed!.result),
      finalized: finalized!.error ? null : this.slot(finalized!.result),
    };
  }

  async confirmedSlot(signal?: AbortSignal): Promise<number> {
    return this.slot(await this.call('getSlot', [COMMITMENT], signal));
  }

  async firstAvailable(signal?: AbortSignal): Promise<number> {
    return this.slot(await this.call('getFirstAvailableBlock', [], signal));
  }

  /** Slots that hold a block, both ends included, ascending; asked for in ranges as wide as this node takes. */
  async blocksIn(from: number, to: number, signal?: AbortSignal): Promise<number[]> {
    const parts = await this.inParts('slots', from, to, async (first, last) => {
      const slots = await this.call<unknown>('getBlocks', [first, last, COMMITMENT], signal);
      return this.slots(slots, first, last);
    });
    return parts.flat();
  }

  /** The first slot at or above this one that holds a block; null where there is none yet. */
  async blockFrom(slot: number, signal?: AbortSignal): Promise<number | null> {
    const slots = await this.call<unknown>('getBlocksWithLimit', [slot, 1, COMMITMENT], signal);
    return this.slots(slots, slot, Number.MAX_SAFE_INTEGER)[0] ?? null;
  }

  /** `unknown-block` when the node has none in this slot: a skipped one, or one that it does not have (yet, any more). */
  async header(slot: number, signal?: AbortSignal): Promise<NodeHeader> {
    const config = (version: number): object => ({
      ...wholeBlocks(version),
      transactionDetails: 'none',
      rewards: false,
    });
    const answer = await this.asKnown((version) => this.call<unknown>('getBlock', [slot, config(version)], signal));
    return this.readHeader(slot, answer);
  }

  /** The same for several slots at once; null where the node has no block. */
  async headers(slots: readonly number[], signal?: AbortSignal): Promise<(NodeHeader | null)[]> {
    const answers = await this.asKnown(async (version) => {
      const config = { ...wholeBlocks(version), transactionDetails: 'none', rewards: false };
      const calls = slots.map((slot): RpcCall => ({ method: 'getBlock', params: [slot, config] }));
      const given = await this.batch(calls, signal);
      const refused = given.find(({ error }) => error !== undefined && !isMissing(error));
      if (refused) throw refused.error;
      return given;
    });
    return answers.map(({ error, result }, n) => (error ? null : this.readHeader(slots[n]!, result)));
  }

  /** The same with the signature of every transaction: a small part of what the whole block weighs. */
  async signatures(slot: number, signal?: AbortSignal): Promise<SignedHeader> {
    const config = (version: number): object => ({
      ...wholeBlocks(version),
      transactionDetails: 'signatures',
      rewards: false,
    });
    const answer = await this.asKnown((version) => this.call<unknown>('getBlock', [slot, config(version)], signal));
    const header = this.readHeader(slot, answer);
    const signatures = isJsonRecord(answer) ? answer.signatures : null;
    if (!Array.isArray(signatures) || !signatures.every((text) => typeof text === 'string')) {
      throw this.error('invalid', `block ${slot} without its signatures`);
    }
    return { ...header, signatures };
  }

  /**
   * The same with the transactions that do more than vote. What no node tells of how some of them ended is awaited, or with
   * `takeIncomplete` taken as it is once every node was asked for it again and again.
   */
  async block(slot: number, signal?: AbortSignal, takeIncomplete = false): Promise<FetchedBlock> {
    let scanned: BlockAnswer | null = null;
    let bytes = 0;
    const parse = (body: Buffer): unknown => {
      bytes = body.length;
      try {
        scanned = readBlock(body, IN_ANSWER);
      } catch {
        throw this.error('invalid', 'an answer that is not JSON');
      }
      return scanned.rest;
    };
    const answer = await this.asKnown(async (version) => {
      const params = [slot, { ...wholeBlocks(version), rewards: false }];
      const [given] = await this.batch([{ method: 'getBlock', params }], signal, parse);
      if (given!.error) throw given!.error;
      return given!.result;
    });
    const header = this.readHeader(slot, answer);
    const { entries, count } = scanned as unknown as BlockAnswer;
    if (entries === null) throw this.error('invalid', `block ${slot} without its transactions`);
    const told = this.outcomes.known(header, entries, takeIncomplete);
    if ('lacking' in told) {
      throw new IncompleteBlockError(slot, told.everywhere, this.error('invalid', told.lacking).message);
    }
    try {
      const read = readEntries(told.entries, count);
      return { block: { ...header, ...read, ...(told.incomplete && { incomplete: true }) }, bytes };
    } catch (error) {
      if (error instanceof MalformedTransactionError) throw this.error('invalid', `block ${slot}: ${error.message}`);
      throw error;
    }
  }

  private readHeader(slot: number, answer: unknown): NodeHeader {
    if (answer === null) throw this.error('unknown-block', `no block in slot ${slot}`);
    const header = readNodeHeader(slot, answer);
    if (header === null) throw this.error('invalid', `block ${slot} without hashes or parent`);
    return header;
  }

  /** Asks with the newest version of transactions that the node takes. */
  private async asKnown<T>(ask: (version: number) => Promise<T>): Promise<T> {
    for (;;) {
      const { version } = this;
      try {
        return await ask(version);
      } catch (error) {
        const older = olderVersion(version);
        if (!(error instanceof RpcError) || error.kind !== 'bad-params' || older === null) throw error;
        if (this.version === version) this.version = older;
      }
    }
  }

  private slot(value: unknown): number {
    if (!isSlot(value)) throw this.error('invalid', 'a slot that is none');
    return value;
  }

  private slots(value: unknown, from: number, to: number): number[] {
    if (!Array.isArray(value) || !value.every(isSlot)) throw this.error('invalid', 'slots that are no list');
    if (!value.every((slot) => slot >= from && slot <= to)) throw this.error('invalid', 'slots that are out of range');
    // Whether a slot is there is all that a list says: its order and repeats are nothing to blame a node for.
    return [...new Set(value)].sort((a, b) => a - b);
  }
}

/** The node has no such block, which says nothing against it. */
export const isMissing = (error: unknown): error is RpcError =>
  error instanceof RpcError && (error.kind === 'unknown-block' || error.kind === 'pruned');
