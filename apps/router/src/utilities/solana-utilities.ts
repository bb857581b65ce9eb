import { poolSpot } from '#libs/chain/amm/pool-spot.js';
import type { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { fetchAccounts } from '#libs/chain/chains/solana/rpc/node-accounts.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { readMint } from '#libs/chain/chains/solana/token/mint.js';
import type { Hex } from '#libs/core/ids.js';
import { toDisplayNumber } from '#libs/core/money.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import type { LivePool } from '#libs/routing/pools/live-pool.js';
import type { LegacyQuote } from '#libs/serve/contract/rest/solana/utilities-body.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { badRequest, HttpProblem, notFound } from '#libs/serve/http/problem.js';
import { ChainNodes, NODE_DEADLINE_MS } from '../nodes/chain-nodes.js';
import type { BundleRelay } from '../relay/bundle-relay.js';
import type { SolanaChain } from '../solana/ports.js';
import { readBlockhash } from '../solana/swap/chain-reads.js';
import { type ConsolidateRequest, consolidation, type SourceWalletState } from './consolidation.js';

/** Answers the requests of the legacy host of Solana, from the pools of the log and from nodes. */
export class SolanaUtilities {
  private nodes: ChainNodes<SolanaEndpoint> | null = null;
  private closed = false;
  private readonly decimals = new Map<Hex, number>();

  constructor(
    private readonly chain: SolanaChain,
    private readonly relay: Pick<BundleRelay, 'tipAccount'>,
    private readonly feeWallet: Hex | null,
    private readonly logger: Pick<HttpLogger, 'warn'>,
    private readonly nodePools: NodePools,
  ) {}

  open(urls: readonly string[]): void {
    if (this.closed) return;
    this.nodes = new ChainNodes<SolanaEndpoint>({
      ...{ chain: this.chain.spec.slug, urls, logger: this.logger, nodePools: this.nodePools },
      open: (options) => new SolanaPool(options),
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.nodes?.close();
  }

  /** Price in the deepest pool against SOL, at the newest indexed slot. */
  async quote(mint: Hex, signal?: AbortSignal): Promise<LegacyQuote> {
    const { spec, services, absence } = this.chain;
    const coin = spec.wrappedNative;
    if (mint === coin.token) throw badRequest('mint must be another token than SOL: its price is in SOL');
    if (services === null) throw notReady(`${spec.slug}: ${absence}`);
    const book = services.market();
    if (book === null || book.head === null) throw notReady(`${spec.slug}: its pools are not read yet`);
    const { height } = book.head;
    let best: { pool: LivePool; depth: bigint } | null = null;
    for (const pool of book.poolsOf(mint)) {
      const first = pool.token0 === mint;
      if (!pool.anchored || poolKinds[pool.kind].setsPrice === 'never') continue;
      if ((first ? pool.token1 : pool.token0) !== coin.token) continue;
      const depth = pool.depthOf(!first);
      const isBetter = best === null || depth > best.depth || (depth === best.depth && pool.id < best.pool.id);
      if (depth > 0n && isBetter) best = { pool, depth };
    }
    const address = spec.ids.formatAddress(mint);
    if (best === null) throw notFound(`no pool of ${address} against SOL is known`);
    const { pool } = best;
    const first = pool.token0 === mint;
    const [baseReserve, quoteReserve] = first ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
    const { sqrtPriceX96 } = pool;
    const baseDecimals = await this.decimalsOf(mint, signal);
    const spot = poolSpot(pool.kind).exact({
      ...{ sqrtPriceX96, baseReserve, quoteReserve, baseIsToken0: first, baseDecimals, quoteDecimals: coin.decimals },
    });
    if (spot === null) throw notFound(`the pools of ${address} against SOL have no price`);
    return {
      mint: address,
      pool: spec.ids.formatAddress(pool.id),
      avgPrice: toDisplayNumber(spot, 36),
      programId: spec.ids.formatAddress(spec.venues.find(({ venue }) => venue === pool.venue)!.factory),
      slot: String(height),
    };
  }

  /** Builds unsigned transactions, one for each wallet, in the order of the wallets. */
  async consolidate(request: ConsolidateRequest, signal?: AbortSignal): Promise<Buffer[]> {
    const tipAccount = request.tipLamports === 0n ? null : solanaIds.parseAddress(await this.relay.tipAccount(signal))!;
    const ids = [...request.wallets, request.receiver];
    const { states, blockhash, rent } = await this.ask(async (endpoint, within) => {
      const [accounts, newest, least] = await Promise.all([
        fetchAccounts(endpoint, ids.map(solanaIds.formatAddress), 0, within),
        readBlockhash(endpoint, within),
        endpoint.call<unknown>('getMinimumBalanceForRentExemption', [0], within),
      ]);
      if (!Number.isSafeInteger(least)) throw endpoint.error('invalid', 'a deposit that is no number');
      return { states: accounts as SourceWalletState[], blockhash: newest, rent: BigInt(least as number) };
    }, signal);
    const { feeWallet } = this;
    return consolidation(request, { states, rent, feeWallet, tipAccount, blockhash: blockhash.bytes });
  }

  private async decimalsOf(mint: Hex, signal?: AbortSignal): Promise<number> {
    const known = this.decimals.get(mint);
    if (known !== undefined) return known;
    const text = solanaIds.formatAddress(mint);
    const [account] = await this.ask((endpoint, within) => fetchAccounts(endpoint, [text], 0, within), signal);
    const decimals = account === null ? null : (readMint(account!)?.decimals ?? null);
    if (decimals === null) throw notFound(`${text} is no mint`);
    if (this.decimals.size >= MOST_KNOWN) this.decimals.clear();
    this.decimals.set(mint, decimals);
    return decimals;
  }

  private ask<T>(
    task: (endpoint: SolanaEndpoint, within: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (this.nodes === null) throw notReady(`${this.chain.spec.slug}: no RPC configured`);
    return this.nodes.use(task, NODE_DEADLINE_MS, signal);
  }
}

const MOST_KNOWN = 100_000;

const notReady = (message: string): HttpProblem => new HttpProblem(503, 'not_ready', message, { 'retry-after': '2' });
