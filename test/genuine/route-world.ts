import { ChainNodes } from '#apps/router/src/nodes/chain-nodes.js';
import { SolanaSwapBuilder } from '#apps/router/src/solana/swap/swap-builder.js';
import { hopAccounts } from '#apps/router/src/solana/venues/hop-accounts.js';
import { placeAccounts, placePool } from '#apps/router/test/placed-venue.js';
import { SolanaWallet } from '#apps/router/test/solana-wallet.js';
import { COIN, type SolanaWorld } from '#apps/router/test/solana-world.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { decodeBase58 } from '#libs/core/base58.js';
import type { AccountBook } from '#libs/routing/pools/solana/account-book.js';

const silent = { warn: () => undefined };
const TOKEN_BYTES = 165;

/**
 * The router's listener over a local chain with a venue's pools, for a wallet that holds their tokens. What a node answers to a
 * simulation is heard, and may be another answer: a chain without the program of the venue can then build what one with it has built.
 */
export class RouteWorld {
  /** The answer to every simulation; the chain's own while it is null. */
  recorded: unknown = null;
  /** The chain's own to the last one. */
  heard: unknown = null;
  private readonly nodes: ChainNodes<SolanaEndpoint>;

  private constructor(
    readonly wallet: SolanaWallet,
    readonly world: SolanaWorld,
  ) {
    const { chain } = world.market;
    const services = world.chain.services!;
    this.nodes = new ChainNodes({
      ...{ chain: 'sol', urls: [chain.rpcUrl], logger: silent, nodePools: null },
      open: (options) => new SolanaPool(options),
    });
    const nodes = {
      use: <T>(task: (endpoint: SolanaEndpoint, signal: AbortSignal) => Promise<T>, ms: number, signal?: AbortSignal) =>
        this.nodes.use((endpoint, within) => task(this.hearing(endpoint), within), ms, signal),
    } as ChainNodes<SolanaEndpoint>;
    const builder = new SolanaSwapBuilder({
      ...{ chain: 'sol', program: services.deployment.program, nodes, labelOf: world.chain.venues.labelOf },
      accountsOf: hopAccounts(services.pools as AccountBook),
    });
    Object.assign(services, { builder });
  }

  static async start(): Promise<RouteWorld> {
    const wallet = await SolanaWallet.start();
    return new RouteWorld(wallet, wallet.world);
  }

  /** A pool, and accounts of the wallet, from the next slot on; the router has read them then. */
  async place(
    venue: string,
    pool: Parameters<typeof placePool>[2],
    own: ReadonlyMap<string, SolanaAccount>,
  ): Promise<void> {
    placeAccounts(this.world, own);
    await placePool(this.world, venue, pool);
    await this.world.settled();
  }

  /** Token accounts of the wallet with that much of each of a pool's tokens; coins it has itself. */
  tokens(mints: readonly string[], accounts: ReadonlyMap<string, SolanaAccount | null>, amount: bigint) {
    const own = new Map<string, SolanaAccount>();
    for (const mint of mints) {
      if (mint === COIN) continue;
      const { owner } = accounts.get(mint)!;
      const data = Buffer.alloc(TOKEN_BYTES);
      data.set(decodeBase58(mint)!);
      data.set(decodeBase58(this.wallet.address)!, 32);
      data.writeBigUInt64LE(amount, 64);
      data[108] = 1;
      own.set(this.wallet.tokenAccountOf(mint, owner), { owner, lamports: 2_039_280n, data });
    }
    return own;
  }

  /** Those of the accounts that a venue makes for the wallet which are there already. */
  made(deposits: readonly { address: string }[]): Map<string, SolanaAccount> {
    const found = deposits.map(({ address }) => [address, this.world.market.chain.account(address)] as const);
    return new Map(found.flatMap(([address, account]) => (account === null ? [] : [[address, account] as const])));
  }

  async close(): Promise<void> {
    await this.nodes.close();
    await this.world.close();
  }

  private hearing(endpoint: SolanaEndpoint): SolanaEndpoint {
    const call = async (method: string, params: unknown[], signal?: AbortSignal): Promise<unknown> => {
      if (method !== 'simulateTransaction') return endpoint.call(method, params, signal);
      if (this.recorded !== null) return this.recorded;
      this.heard = await endpoint.call(method, params, signal);
      return this.heard;
    };
    return Object.assign(Object.create(endpoint), { call }) as SolanaEndpoint;
  }
}
