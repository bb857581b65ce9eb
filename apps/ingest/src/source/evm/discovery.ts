import { type BlockParameter, ContractReader } from '#libs/chains/evm/contract-reader.js';
import { decodeMetadata, METADATA_CALLS, metadataCalls } from '#libs/chains/evm/erc20/metadata.js';
import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chains/evm/rpc/rpc-error.js';
import { addressOf } from '#libs/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolAnchor, PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import { anchorCalls, readAnchor, tickCalls } from '#libs/venues/pool-anchor.js';
import { confirmationCall, confirms, PROBE_CALLS, probeCalls, readProbe } from '#libs/venues/pool-probe.js';
import type { KnownSet } from './known-set.js';
import type { RawBlock } from './raw-block.js';
import type { TopicSet } from './topic-set.js';

/** Everything about the blocks at hand that the log does not know yet and the node had to be asked for. */
export interface Discovery {
  /** Pools first seen in mid-life, confirmed by their factory. */
  readonly pools: ReadonlyMap<Hex, PoolRecord>;
  readonly foreign: readonly Hex[];
  readonly tokens: ReadonlyMap<Hex, TokenRecord>;
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
  /** Pools from earlier blocks that still wait for an anchor; read at the last of the blocks. */
  waiting: readonly PoolRecord[];
  signal: AbortSignal;
}

/** Asks a node about contracts that the published chain does not know. Changes nothing: the block builder records. */
export class Discoverer {
  private readonly reader: ContractReader;

  constructor(
    private readonly topics: TopicSet,
    multicall3: Hex | null,
  ) {
    this.reader = new ContractReader(multicall3);
  }

  async discover(request: DiscoveryRequest): Promise<Discovery> {
    const { created, candidates } = this.scan(request);
    const { pools, foreign } = await this.probe(request, [...candidates.keys()]);
    const tokens = await this.metadata(request, [...created, ...pools.values()]);
    const anchors = new Map<Hex, { height: number; anchor: PoolAnchor }>();
    if (request.anchor) {
      const last = request.blocks.at(-1)!;
      await Promise.all([
        ...[...pools.values()]
          // A pair states its reserves in every event; only concentrated pools need to be read.
          .filter((record) => record.kind === 'concentrated')
          .map((record) => this.anchor(request, record, candidates.get(record.pool)!, anchors)),
        ...request.waiting.map((record) => this.anchor(request, record, last, anchors)),
      ]);
    }
    return { pools, foreign, tokens, anchors };
  }

  /** Pools that the blocks create, and unknown contracts that speak like pools with the block that first has them. */
  private scan({ blocks, known, knownHeight }: DiscoveryRequest): {
    created: PoolRecord[];
    candidates: Map<Hex, RawBlock>;
  } {
    const created = new Map<Hex, PoolRecord>();
    const candidates = new Map<Hex, RawBlock>();
    for (const block of blocks) {
      block.logs.each((log) => {
        const topic = log.topics[0]!;
        if (this.topics.poolEvents.has(topic)) {
          const id = addressOf(log.address);
          const settled = known.knowsPool(id, knownHeight) || known.isForeign(id) || created.has(id);
          if (!settled && !candidates.has(id)) candidates.set(id, block);
        } else if (this.topics.creations.has(topic)) {
          const factory = this.topics.factories.get(addressOf(log.address));
          const record = factory?.venue.creationTopic === topic ? factory.venue.decodeCreation(log) : null;
          if (record) created.set(record.pool, record);
        }
      });
    }
    return { created: [...created.values()], candidates };
  }

  private async probe(
    { endpoint, at, signal }: DiscoveryRequest,
    candidates: readonly Hex[],
  ): Promise<{ pools: Map<Hex, PoolRecord>; foreign: Hex[] }> {
    const pools = new Map<Hex, PoolRecord>();
    if (candidates.length === 0) return { pools, foreign: [] };
    const answers = await this.reader.read(endpoint, candidates.flatMap(probeCalls), at, signal);
    const claims = candidates.flatMap((pool, n) => {
      const claim = readProbe(pool, answers.slice(n * PROBE_CALLS, (n + 1) * PROBE_CALLS), this.topics.factories);
      return claim ? [claim] : [];
    });
    const confirmations = await this.reader.read(
      endpoint,
      claims.map(({ factory, record }) => confirmationCall(factory, record)),
      at,
      signal,
    );
    claims.forEach(({ record }, n) => {
      if (confirms(confirmations[n]!, record.pool)) pools.set(record.pool, record);
    });
    return { pools, foreign: candidates.filter((id) => !pools.has(id)) };
  }

  private async metadata(
    { endpoint, at, signal, known, knownHeight }: DiscoveryRequest,
    pools: readonly PoolRecord[],
  ): Promise<Map<Hex, TokenRecord>> {
    const unknown = new Set<Hex>();
    for (const { token0, token1 } of pools) {
      for (const token of [token0, token1]) if (!known.knowsToken(token, knownHeight)) unknown.add(token);
    }
    const tokens = [...unknown];
    const answers =
      tokens.length === 0 ? [] : await this.reader.read(endpoint, tokens.flatMap(metadataCalls), at, signal);
    return new Map(
      tokens.map((token, n) => [
        token,
        decodeMetadata(token, answers.slice(n * METADATA_CALLS, (n + 1) * METADATA_CALLS)),
      ]),
    );
  }

  /** State of a pool at the end of a block. Left out where the node does not keep that state any more. */
  private async anchor(
    { endpoint, signal }: DiscoveryRequest,
    pool: PoolRecord,
    block: RawBlock,
    anchors: Map<Hex, { height: number; anchor: PoolAnchor }>,
  ): Promise<void> {
    const at = { blockHash: `0x${block.header.hash}` };
    try {
      const answers = await this.reader.read(endpoint, anchorCalls(pool), at, signal);
      const ticks = tickCalls(pool, answers);
      const tickAnswers = ticks.length === 0 ? [] : await this.reader.read(endpoint, ticks, at, signal);
      const anchor = readAnchor(pool, answers, tickAnswers);
      if (anchor) anchors.set(pool.pool, { height: block.header.height, anchor });
    } catch (error) {
      if (!(error instanceof RpcError) || (error.kind !== 'pruned' && error.kind !== 'unknown-block')) throw error;
    }
  }
}
