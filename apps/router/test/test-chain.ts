import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import { noSafeties, type TokenSafeties } from '#libs/pipeline/safety/safety-book.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { sensibleAmount } from '#libs/routing/search/sensible-amount.js';
import type { EvmVenue } from '#libs/serve/contract/rest/evm/venue-body.js';
import { planEvmSwap } from '../src/evm/build/swap-plan.js';
import type { BuildRequest } from '../src/evm/model/build-request.js';
import type { BuiltEvmSwap } from '../src/evm/model/built-swap.js';
import type { EvmChain, EvmChainServices, ProjectedHead } from '../src/evm/ports.js';
import { UsdValues } from '../src/evm/prices/usd-values.js';
import { AllTokenKnowledge } from '../src/evm/tokens/all-token-knowledge.js';
import { TokenFindings } from '../src/evm/tokens/token-findings.js';
import { venueRow } from '../src/evm/venues/venue-rows.js';
import { blockOf, type TestPool } from './test-pools.js';

/**
 * A chain's services over a real book and the real route search, for what the routes do with it. Verification and builds are what the test says:
 * those have specs of their own, over real chains.
 */
export class TestChain implements EvmChain {
  readonly book = new PoolBook();
  private readonly finder = new RouteFinder(this.book);
  readonly tokens = new TokenFindings(() => this.book.head?.time ?? null);
  /** What simulations of the indexer found. */
  safeties: TokenSafeties = noSafeties;
  private readonly usd: UsdValues;
  readonly builds: { request: BuildRequest; signal: AbortSignal }[] = [];
  absence = 'no RPC configured';
  /** False: as if no node were configured. */
  present = true;
  /** Whether a venue (PoolRecord.venue) is verified. */
  verified: (venue: string) => boolean = () => true;
  headOf: () => ProjectedHead | null;
  build: (request: BuildRequest, signal: AbortSignal) => Promise<BuiltEvmSwap> = (request) =>
    Promise.resolve(builtOf(request));
  demoRpcUrl: string | null = null;
  private seq = -1;

  constructor(
    readonly spec: ChainSpec,
    private readonly now: () => number,
  ) {
    this.usd = new UsdValues(spec, () => this.book);
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
      tokens: new AllTokenKnowledge(this.tokens, this.safeties),
      usd: this.usd,
      routes: {
        find: (request) => this.finder.find(request),
        largestWithin: (request, limitBps) => {
          const answer = this.finder.find(request);
          return answer.kind === 'route' ? sensibleAmount(answer.route, limitBps) : null;
        },
      },
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

/** A build with every field, for a request. */
export function builtOf(request: BuildRequest): BuiltEvmSwap {
  const { priced } = request.quote;
  const { number, hash } = { number: priced.head.height, hash: priced.head.hash };
  return {
    request,
    plan: planEvmSwap(request),
    transactions: [{ call: { to: priced.router, data: '', value: 0n }, gas: 21_000n, approves: null }],
    fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    deadline: 0n,
    simulation: { block: { number, hash }, received: priced.amountOut, gasUsed: 100_000n },
  };
}
