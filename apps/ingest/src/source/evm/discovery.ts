import type { BlockParameter, ContractCall, ContractReader } from '#libs/chain/chains/evm/contract-reader.js';
import { decodeMetadata, METADATA_CALLS, metadataCalls } from '#libs/chain/chains/evm/erc20/metadata.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { addressAnswer } from '#libs/chain/market-ports/evm/contract-probe.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolAnchor, PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { KnownSet } from './known-set.js';
import type { RawBlock } from './raw-block.js';
import type { TopicSet } from './topic-set.js';

/** Everything about the blocks at hand that the log does not know yet and the node had to be asked for. */
export interface Discovery {
  /** Pools first seen in mid-life, confirmed by their factory. */
  readonly pools: ReadonlyMap<Hex, PoolRecord>;
  readonly foreign: readonly Hex[];
  readonly tokens: ReadonlyMap<Hex, TokenRecord>;
  /** Of tokens that were asked again, with the height of the block at which. */
  readonly again: ReadonlyMap<Hex, { height: number; record: TokenRecord }>;
  /** By pool, with the height at whose end the state was read. */
  readonly anchors: ReadonlyMap<Hex, { height: number; anchor: PoolAnchor }>;
}

export interface DiscoveryRequest {
  endpoint: RpcEndpoint;
  blocks: readonly RawBlock[];
  known: KnownSet;
  /** The published chain below these blocks, for a branch that leaves it. */
  knownHeight: number;
  /** At the head the state at the block itself; in history the newest, as what is asked for does not change. */
  at: BlockParameter;
  /** Whether the state at these blocks may be read, for pools that were first seen in mid-life. */
  anchor: boolean;
  /** Runs a task that reads the state at a block of this height, on a node that keeps it. */
  readState: <T>(task: (endpoint: RpcEndpoint) => Promise<T>, height: number) => Promise<T>;
  /** Pools from earlier blocks that still wait for an anchor; read at the last of the blocks. */
  waiting: readonly PoolRecord[];
  /** Tokens of earlier blocks that did not say all; asked at the last of the blocks. */
  unfinished: readonly Hex[];
  signal: AbortSignal;
}

/** A pool that nothing is known of: the block that first has it, and the venues that it may be of. */
interface Candidate {
  block: RawBlock;
  sites: readonly VenueSite[];
}

/** Asks a node about contracts that the published chain does not know. Changes nothing: the block builder records. */
export class EvmDiscoverer {
  constructor(
    private readonly topics: TopicSet,
    private readonly reader: ContractReader,
  ) {}

  async discover(request: DiscoveryRequest): Promise<Discovery> {
    const { created, candidates } = this.scan(request);
    const { pools, foreign } = await this.probe(request, candidates);
    const [tokens, again] = await Promise.all([
      this.metadata(request, [...created, ...pools.values()]),
      this.askAgain(request),
    ]);
    const anchors = new Map<Hex, { height: number; anchor: PoolAnchor }>();
    if (request.anchor) {
      const last = request.blocks.at(-1)!;
      await Promise.all([
        ...[...pools.values()]
          .filter((record) => this.needsReading(record))
          .map((record) => this.anchor(request, record, candidates.get(record.pool)!.block, anchors)),
        ...request.waiting.map((record) => this.anchor(request, record, last, anchors)),
      ]);
    }
    return { pools, foreign, tokens, again, anchors };
  }

  /** Whether the state of a pool that was first seen in mid-life must be asked for: not where its events state it. */
  needsReading(record: PoolRecord): boolean {
    return this.topics.sites.get(record.venue)?.venue.anchor.statedByEvents === false;
  }

  /** Pools that the blocks create, and unknown ones that events are of. */
  private scan({ blocks, known, knownHeight }: DiscoveryRequest): {
    created: PoolRecord[];
    candidates: Map<Hex, Candidate>;
  } {
    const created = new Map<Hex, PoolRecord>();
    const candidates = new Map<Hex, Candidate>();
    for (const block of blocks) {
      block.logs.each((log) => {
        const topic = log.topics[0]!;
        if (this.topics.creations.has(topic)) {
          const record = this.topics.created(log);
          if (record) created.set(record.pool, record);
        }
        const reader = this.topics.poolEvents.get(topic);
        const id = reader === undefined ? null : this.topics.poolOf(log, reader);
        if (id === null || candidates.has(id)) return;
        if (known.knowsPool(id, knownHeight) || known.isForeign(id) || created.has(id)) return;
        candidates.set(id, { block, sites: this.topics.candidatesFor(log, reader!) });
      });
    }
    return { created: [...created.values()], candidates };
  }

  private async probe(
    { endpoint, at, signal }: DiscoveryRequest,
    candidates: ReadonlyMap<Hex, Candidate>,
  ): Promise<{ pools: Map<Hex, PoolRecord>; foreign: Hex[] }> {
    const pools = new Map<Hex, PoolRecord>();
    if (candidates.size === 0) return { pools, foreign: [] };
    const questions = new ProbeBatch();
    for (const [pool, { sites }] of candidates) {
      for (const site of sites) questions.add(site.venue.probe.calls(pool, site));
    }
    const answers = await questions.ask((calls) => this.reader.read(endpoint, calls, at, signal));
    const claims = [...candidates].flatMap(([pool, { sites }]) => {
      for (const site of sites) {
        const { probe } = site.venue;
        const record = probe.claim(pool, site, answers(probe.calls(pool, site)));
        if (record) return [{ record, confirmation: probe.confirmation(record, site) }];
      }
      return [];
    });
    const asked = claims.flatMap(({ confirmation }) => (confirmation === null ? [] : [confirmation]));
    const confirmations = await this.reader.read(endpoint, asked, at, signal);
    let next = 0;
    for (const { record, confirmation } of claims) {
      if (confirmation === null || addressAnswer(confirmations[next++]) === record.pool) pools.set(record.pool, record);
    }
    return { pools, foreign: [...candidates.keys()].filter((id) => !pools.has(id)) };
  }

  private metadata(request: DiscoveryRequest, pools: readonly PoolRecord[]): Promise<Map<Hex, TokenRecord>> {
    const { known, knownHeight } = request;
    const unknown = new Set<Hex>();
    for (const { token0, token1 } of pools) {
      for (const token of [token0, token1]) if (!known.knowsToken(token, knownHeight)) unknown.add(token);
    }
    return this.records(request, [...unknown]);
  }

  private async records(
    { endpoint, at, signal }: DiscoveryRequest,
    tokens: readonly Hex[],
  ): Promise<Map<Hex, TokenRecord>> {
    if (tokens.length === 0) return new Map();
    const answers = await this.reader.read(endpoint, tokens.flatMap(metadataCalls), at, signal);
    return new Map(
      tokens.map((token, n) => [
        token,
        decodeMetadata(token, answers.slice(n * METADATA_CALLS, (n + 1) * METADATA_CALLS)),
      ]),
    );
  }

  /** No block waits for these: what a node cannot answer now is asked at their next turn. */
  private async askAgain(request: DiscoveryRequest): Promise<Discovery['again']> {
    try {
      const { height } = request.blocks.at(-1)!.header;
      const records = await this.records(request, request.unfinished);
      return new Map([...records].map(([token, record]) => [token, { height, record }]));
    } catch (error) {
      if (error instanceof RpcError) return new Map();
      throw error;
    }
  }

  /** State of a pool at the end of a block. Left out where the node does not keep that state any more. */
  private async anchor(
    { readState, signal }: DiscoveryRequest,
    pool: PoolRecord,
    block: RawBlock,
    anchors: Map<Hex, { height: number; anchor: PoolAnchor }>,
  ): Promise<void> {
    const at = { blockHash: `0x${block.header.hash}` };
    try {
      const site = this.topics.sites.get(pool.venue)!;
      const plan = site.venue.anchor;
      const anchor = await readState(async (endpoint) => {
        const answers = await this.reader.read(endpoint, plan.calls(pool, site), at, signal);
        const further = plan.further(pool, site, answers);
        const furtherAnswers = further.length === 0 ? [] : await this.reader.read(endpoint, further, at, signal);
        return plan.read(pool, site, answers, furtherAnswers);
      }, block.header.height);
      if (anchor) anchors.set(pool.pool, { height: block.header.height, anchor });
    } catch (error) {
      if (!(error instanceof RpcError) || !(error.saysLack || error.kind === 'unknown-block')) throw error;
    }
  }
}

/** Calls of several venues about the same contracts, each asked once. */
class ProbeBatch {
  private readonly places = new Map<string, number>();
  private readonly calls: ContractCall[] = [];

  add(calls: readonly ContractCall[]): void {
    for (const call of calls) {
      const key = keyOf(call);
      if (this.places.has(key)) continue;
      this.places.set(key, this.calls.length);
      this.calls.push(call);
    }
  }

  async ask(
    read: (calls: readonly ContractCall[]) => Promise<(string | null)[]>,
  ): Promise<(calls: readonly ContractCall[]) => (string | null)[]> {
    const answers = await read(this.calls);
    return (calls) => calls.map((call) => answers[this.places.get(keyOf(call))!]!);
  }
}

const keyOf = ({ to, data }: ContractCall): string => `${to}:${data}`;
