import type { ChainSpec, VenueContracts, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { Backoff, pause } from '#libs/platform/backoff.js';
import type { Logger } from '#libs/platform/logger.js';
import type { EvmVenue, EvmVerification } from '#libs/serve/contract/rest/evm/venue-body.js';
import { NodesUnavailableError } from '../../nodes/chain-nodes.js';
import type { EvmNodes } from '../evm-nodes.js';
import type { VenueVerifier } from '../ports.js';
import { CodeCheck } from './code-check.js';
import { CodeReader } from './code-reader.js';
import { type CodeRules, checkVenues, type VenueFindings } from './venue-check.js';
import { notVerified, venueRow } from './venue-rows.js';

export interface VenueVerifierOptions {
  chain: ChainSpec;
  nodes: Pick<EvmNodes, 'use'>;
  /** Code that the operator vouches for: keccak-256 of the whole runtime code by address. */
  pins: ReadonlyMap<Hex, Hex>;
  logger: Logger;
  /** Venues that the operator has switched off, by any of their names; `uniswap-v2` is that of every chain. */
  disabled?: readonly string[];
  /** Between two checks once all venues pass. */
  recheckMs?: number;
  /** First pause before a check is repeated; doubles up to `maxRetryMs`. */
  retryMs?: number;
  maxRetryMs?: number;
  /** A check without an answer ends after so long. */
  checkMs?: number;
  /** How long a verification is trusted while no node answers. */
  graceMs?: number;
}

type RoutedVenue = VenueSpec & { contracts: VenueContracts };

const DISABLED: EvmVerification = { ...notVerified, status: 'disabled', reason: 'switched off by the operator' };

/** Names of venues are compared by their letters and digits alone. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Verifies the venues of one chain until all pass, and then repeats that from time to time. Invariant: a venue is
 * servable only while the last check that got an answer found it as the manifest says, and that check is not older than
 * the time for which silent nodes are tolerated.
 */
export function createVenueVerifier(options: VenueVerifierOptions): VenueVerifier {
  return new Verifier(options);
}

class Verifier implements VenueVerifier {
  readonly name: string;
  private readonly routed: readonly RoutedVenue[];
  private readonly active: readonly RoutedVenue[];
  private readonly rules: CodeRules;
  private readonly states = new Map<string, EvmVerification>();
  private shown!: readonly EvmVenue[];
  private quotable!: ReadonlySet<string>;
  /** When nodes began not to answer; null while they do. */
  private silentSince: number | null = null;

  constructor(private readonly options: VenueVerifierOptions) {
    const { chain } = options;
    const disabled = new Set(options.disabled?.map(plain));
    const isOff = (venue: VenueSpec): boolean =>
      [venue.id, venue.venue, venue.label, ...venue.aliases].some((name) => disabled.has(plain(name)));
    this.name = `venues.${chain.slug}`;
    this.routed = chain.venues.filter((venue): venue is RoutedVenue => venue.contracts !== null);
    this.active = this.routed.filter((venue) => !isOff(venue));
    const check = new CodeCheck(`TIDEPOOL_CODE_PINS_${chain.slug.toUpperCase()}`);
    this.rules = { check, reader: new CodeReader(), pins: options.pins };
    for (const venue of this.routed) {
      this.states.set(venue.venue, isOff(venue) ? DISABLED : notVerified);
    }
    this.show();
  }

  rows(): readonly EvmVenue[] {
    return this.shown;
  }

  servable(): ReadonlySet<string> {
    return this.quotable;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { retryMs = 500, maxRetryMs = 30_000, recheckMs = 60_000 } = this.options;
    const backoff = new Backoff({ firstMs: retryMs, maxMs: maxRetryMs, healthyMs: Number.POSITIVE_INFINITY });
    while (!signal.aborted && this.active.length > 0) {
      const passed = await this.check(signal);
      if (signal.aborted) return;
      if (passed) backoff.reset();
      await pause(passed ? recheckMs : backoff.next(0), signal);
    }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** True when every venue passed. */
  private async check(signal: AbortSignal): Promise<boolean> {
    const { chain, nodes, checkMs = 8_000 } = this.options;
    try {
      const findings = await nodes.use(
        (endpoint, limited) => checkVenues(endpoint, chain, this.active, this.rules, limited),
        checkMs,
        signal,
      );
      this.silentSince = null;
      this.take(findings);
      return this.quotable.size === this.active.length;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof TidepoolError)) throw error;
      this.takeFailure(error);
      return false;
    }
  }

  private take({ anchor, problems }: VenueFindings): void {
    const at = new Date().toISOString();
    const shownAnchor = { chainId: anchor.chainId, number: String(anchor.number), hash: `0x${anchor.hash}` };
    for (const { venue } of this.active) {
      const found = problems.get(venue)!;
      this.enter(venue, {
        status: found.length === 0 ? 'verified' : 'mismatch',
        reason: found.length === 0 ? null : found.join('. '),
        anchor: shownAnchor,
        at,
      });
    }
    this.show();
  }

  /** No finding: the nodes did not answer, or all of them serve another chain. */
  private takeFailure(error: TidepoolError): void {
    const { graceMs = 60_000, logger } = this.options;
    const wrongChain = error.code === 'wrong_chain';
    if (!wrongChain) {
      if (!(error instanceof NodesUnavailableError))
        logger.warn({ chain: this.options.chain.slug, error: error.message }, 'a check of the venues failed');
      this.silentSince ??= performance.now();
    }
    const within = this.silentSince !== null && performance.now() - this.silentSince < graceMs;
    const at = new Date().toISOString();
    for (const { venue } of this.active) {
      const state = this.states.get(venue)!;
      if (!wrongChain && within && state.status === 'verified') continue;
      this.enter(venue, {
        status: wrongChain ? 'mismatch' : 'unreachable',
        reason: error.message,
        anchor: state.anchor,
        at,
      });
    }
    this.show();
  }

  private enter(venue: string, next: EvmVerification): void {
    const { chain, logger } = this.options;
    const before = this.states.get(venue)!;
    this.states.set(venue, next);
    if (before.status === next.status && before.reason === next.reason) return;
    const fields = { chain: chain.slug, venue, status: next.status, reason: next.reason };
    if (next.status === 'verified') logger.info(fields, 'venue verified');
    else logger.warn(fields, 'venue not verified: it is not quoted');
  }

  /** Both answers change together. */
  private show(): void {
    const { chain } = this.options;
    this.shown = this.routed.map((venue) => venueRow(chain, venue, this.states.get(venue.venue)!));
    const verified = this.routed.filter(({ venue }) => this.states.get(venue)!.status === 'verified');
    this.quotable = new Set(verified.map(({ venue }) => venue));
  }
}
