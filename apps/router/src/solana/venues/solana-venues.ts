import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { SolVenue } from '#libs/serve/contract/rest/solana/venue-body.js';
import { type SwapConfig, VENUE_KINDS, type VenueKind } from '#programs/client.js';
import type { DeploymentState } from '../model/deployment.js';
import type { SolanaVenueTable } from '../ports.js';

type Status = SolVenue['status'];

/**
 * Joins the venues of Solana with the rows of a deployment's config. Invariant: a venue is servable only while it has a
 * live row of the kind by which the swap program calls it.
 */
export class SolanaVenues implements SolanaVenueTable {
  /** The venues that the swap program can call. */
  readonly buildable: readonly VenueSpec[];
  private readonly kinds: ReadonlyMap<string, VenueKind>;
  private readonly disabled: ReadonlySet<string>;
  private served: { config: SwapConfig; venues: ReadonlySet<string> } | null = null;
  private rowed: { config: SwapConfig; venues: ReadonlySet<string> } | null = null;

  constructor(
    private readonly spec: ChainSpec,
    disabled: readonly string[] = [],
  ) {
    this.disabled = new Set(disabled);
    const kindOf = ({ venue }: VenueSpec): [string, VenueKind][] => {
      const named = solanaModule(venue)?.swapKind;
      const kind = VENUE_KINDS.find((known) => known === named);
      return kind === undefined ? [] : [[venue, kind]];
    };
    this.kinds = new Map(spec.venues.flatMap(kindOf));
    this.buildable = spec.venues.filter(({ venue }) => this.kinds.has(venue));
  }

  /** Ids inside the chain (PoolRecord.venue); the same set until another config comes. */
  servable({ config }: DeploymentState): ReadonlySet<string> {
    if (this.served?.config !== config) {
      const venues = this.buildable.filter((venue) => this.statusOf(venue, config) === 'live');
      this.served = { config, venues: new Set(venues.map(({ venue }) => venue)) };
    }
    return this.served.venues;
  }

  /** Those with a row of the right kind, live or not: their pools are followed. The same set until another config comes. */
  withRow({ config }: DeploymentState): ReadonlySet<string> {
    if (this.rowed?.config !== config) {
      const venues = this.buildable.filter((venue) => ['live', 'off'].includes(this.statusOf(venue, config)));
      this.rowed = { config, venues: new Set(venues.map(({ venue }) => venue)) };
    }
    return this.rowed.venues;
  }

  /** Every venue of the chain, in its order. */
  rows(state: DeploymentState | null): SolVenue[] {
    return this.spec.venues.map((venue) => {
      const kind = this.kinds.get(venue.venue) ?? null;
      const status = this.statusOf(venue, state?.config ?? null);
      return {
        id: venue.id,
        dex: venue.label,
        label: venue.label,
        aliases: [...venue.aliases],
        programId: this.spec.ids.formatAddress(venue.factory),
        kind,
        buildable: kind !== null,
        servable: status === 'live',
        status,
        updatedSlot: state?.slot ?? null,
      };
    });
  }

  /** Labels by the address of the program. */
  labels(): Record<string, string> {
    const { formatAddress } = this.spec.ids;
    return Object.fromEntries(this.spec.venues.map(({ factory, label }) => [formatAddress(factory), label]));
  }

  /** Label of the venue whose program has that address, base58; null for another program, and for our own venues. */
  readonly labelOf = (program: string): string | null => {
    const id = this.spec.ids.parseAddress(program);
    const found = this.buildable.find(({ factory }) => factory === id);
    return found === undefined || this.isOwn(found.venue) ? null : found.label;
  };

  /** Whether a venue speaks the instructions of our own programs. */
  isOwn(venue: string): boolean {
    const kind = this.kinds.get(venue);
    return kind === 'pool' || kind === 'curve';
  }

  named(venue: string): VenueSpec | null {
    return this.buildable.find((candidate) => candidate.venue === venue) ?? null;
  }

  private statusOf({ venue, id, factory }: VenueSpec, config: SwapConfig | null): Status {
    const kind = this.kinds.get(venue);
    if (kind === undefined) return 'not_buildable';
    if (this.disabled.has(id)) return 'disabled';
    if (config === null) return 'unknown';
    const row = config.rows.find(({ program }) => program === factory);
    if (row === undefined) return 'no_row';
    if (row.kind !== kind) return 'other_kind';
    return row.live ? 'live' : 'off';
  }
}
