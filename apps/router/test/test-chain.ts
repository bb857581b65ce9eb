import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { routedVenues } from '#libs/market-ports/chain-spec.js';
import { PoolBook } from '#libs/pools/pool-book.js';
import type { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import type { EvmVenue } from '#libs/protocol/rest/evm/venue-body.js';
import { RouteFinder } from '#libs/routing/route-finder.js';
import type { BuildRequest, EvmChain, EvmChainServices, ProjectedHead } from '../src/evm/ports.js';
import { venueRow } from '../src/evm/venues/venue-rows.js';
import { blockOf, type TestPool } from './test-pools.js';

/** Gas of a hop that the chains of tests answer. */
export const HOP_GAS = 100_000n;

/**
 * A chain's services over a real book and the real route search, for what the doors do with it. Verification, gas and builds are what the test says:
 * those have specs of their own, over real chains.
 */
export class TestChain implements EvmChain {
  readonly book = new PoolBook();
  private readonly routes = new RouteFinder(this.book);
  readonly builds: { request: BuildRequest; signal: AbortSignal }[] = [];
  absence = 'no RPC configured';
  /** False: as if no node were configured. */
  present = true;
  /** Whether a venue (PoolRecord.venue) is verified. */
  verified: (venue: string) => boolean = () => true;
  headOf: () => ProjectedHead | null;
  build: (request: BuildRequest, signal: AbortSignal) => Promise<EvmSwapAnswer> = (request) =>
    Promise.resolve(answerOf(this.spec, request));
  demoRpcUrl: string | null = null;
  private seq = -1;

  constructor(
    readonly spec: ChainSpec,
    private readonly now: () => number,
  ) {
    this.headOf = () => {
      const { head } = this.book;
      return head && { ...head, source: 'stream' };
    };
  }

  get services(): EvmChainServices | null {
    if (!this.present) return null;
    const { spec, book, demoRpcUrl } = this;
    return {
      ...{ spec, book, demoRpcUrl },
      routes: this.routes,
      venues: {
        name: `venues.${spec.slug}`,
        run: () => Promise.resolve(),
        rows: () => this.rows(),
        servable: () =>
          new Set(
            routedVenues(spec)
              .map(({ venue }) => venue)
              .filter((venue) => this.verified(venue)),
          ),
      },
      gas: { estimate: (route) => HOP_GAS * BigInt(route.hops.length) },
      builder: {
        build: (request, signal) => {
          this.builds.push({ request, signal });
          return this.build(request, signal);
        },
        simulation: () => 'eth_simulateV1',
      },
      head: () => this.headOf(),
    };
  }

  /** The next block, with these pools and states. */
  mine(pools: readonly TestPool[] = [], time = this.now()): void {
    this.seq++;
    this.book.apply(blockOf(this.spec, this.seq, time, pools));
  }

  private rows(): EvmVenue[] {
    return routedVenues(this.spec).map((venue) =>
      venueRow(
        this.spec,
        venue,
        this.verified(venue.venue)
          ? {
              status: 'verified',
              reason: null,
              anchor: { chainId: this.spec.chainId!, number: '1', hash: `0x${'ab'.repeat(32)}` },
              at: new Date(this.now()).toISOString(),
            }
          : { status: 'mismatch', reason: 'the router has other code', anchor: null, at: null },
      ),
    );
  }
}

/** An answer with every field, for a request. */
export function answerOf(spec: ChainSpec, { quote, wallet }: BuildRequest): EvmSwapAnswer {
  return {
    setupTransactions: [],
    swapTransaction: {
      chainId: spec.chainId!,
      from: `0x${wallet}`,
      to: quote.router,
      data: '0x',
      value: '0x0',
      gas: '0x5208',
      maxFeePerGas: '0x1',
      maxPriorityFeePerGas: '0x1',
      type: '0x2',
      description: 'Swap',
    },
    quoteResponse: quote,
    simulation: {
      blockNumber: quote.contextSlot,
      blockHash: quote.blockHash,
      outAmount: quote.outAmount,
      gasUsed: '100000',
    },
    expiresAt: new Date(0).toISOString(),
  };
}
