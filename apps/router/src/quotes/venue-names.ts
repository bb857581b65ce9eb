import type { VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { type ParameterSource, shown } from '../http/parameter-source.js';
import { unknownDex } from '../http/router-problem.js';

/**
 * A chain's venues by every spelling of them: label, id and alias, whatever the case and whatever is between letters
 * and digits. A spelling without its protocol (`uniswap`) names both protocols.
 */
export class VenueNames {
  private readonly bySpelling = new Map<string, Set<VenueSpec>>();

  constructor(
    private readonly chain: string,
    /** The venues that can be routed over at all. */
    readonly all: readonly VenueSpec[],
  ) {
    for (const venue of this.all) {
      for (const spelling of [venue.label, venue.id, venue.venue, ...venue.aliases]) {
        const name = plain(spelling);
        this.add(name, venue);
        if (name.endsWith(venue.protocol)) this.add(name.slice(0, -venue.protocol.length), venue);
      }
    }
  }

  /** The venues that a request allows; null when it names none, which allows all. */
  read(source: ParameterSource): readonly VenueSpec[] | null {
    const wanted = spellings(source, 'dexes', 'includeDex');
    const unwanted = spellings(source, 'excludeDexes', 'excludeDex');
    if (wanted.length === 0 && unwanted.length === 0) return null;
    const allowed = wanted.length === 0 ? new Set(this.all) : this.find(wanted);
    if (allowed.size === 0) {
      const labels = this.all.map((venue) => venue.label).join(', ');
      throw unknownDex(
        `dexes must name a venue of ${this.chain} (${labels}); ${shown(wanted[0]!)} ${wanted.length > 1 ? 'and the others are none' : 'is none'}`,
      );
    }
    for (const venue of this.find(unwanted)) allowed.delete(venue);
    return [...allowed];
  }

  private find(names: readonly string[]): Set<VenueSpec> {
    const found = new Set<VenueSpec>();
    for (const name of names) for (const venue of this.bySpelling.get(plain(name)) ?? []) found.add(venue);
    return found;
  }

  private add(name: string, venue: VenueSpec): void {
    const venues = this.bySpelling.get(name);
    if (venues === undefined) this.bySpelling.set(name, new Set([venue]));
    else venues.add(venue);
  }
}

const plain = (spelling: string): string => spelling.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Every name in a parameter and its alias: separated by commas, repeated, or a JSON list. */
function spellings(source: ParameterSource, name: string, alias: string): string[] {
  const names: string[] = [];
  for (const parameter of [name, alias]) {
    for (const value of source.all(parameter)) {
      if (typeof value !== 'string')
        throw badRequest(`${parameter} must be labels or ids of venues; ${kind(value)} is none`);
      for (const part of value.split(',')) if (part.trim() !== '') names.push(part.trim());
    }
  }
  return names;
}

const kind = (value: JsonValue): string => shown(value);
