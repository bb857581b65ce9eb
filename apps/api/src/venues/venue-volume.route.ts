import { venueLabel } from '#libs/chain/market-ports/chain-spec.js';
import { DAY_MS, type VenueVolume, venueVolumes } from '#libs/pipeline/projections/venue-volumes/projection.js';
import { VenuePath, VenueVolumeAnswer, VenueVolumeQuery } from '#libs/serve/contract/rest/venue-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { readKeyed } from '#libs/serve/reader/read-keyed.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute, unknownChain } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { viewFor } from '../access/token-subject.js';
import { metaOf, volumeNumber } from '../rows/display.js';

@Route({
  ...marketRoute('read', unknownChain),
  id: 'getVenueVolume',
  path: '/venues/:chain/volume',
  summary: 'Volume of each venue by day',
  parameters: VenuePath,
  query: VenueVolumeQuery,
  answer: VenueVolumeAnswer,
})
export class VenueVolumeRoute implements RouteHandler<VenuePath, VenueVolumeQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ path, query }: RouteInput<VenuePath, VenueVolumeQuery>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const { chain } = reader;
    const view = await viewFor(reader, undefined, query.asOfBlock);
    return this.cache.answer(view, scopeOf('venue-volume', chain.slug, query), async (): Promise<VenueVolumeAnswer> => {
      const today = Math.floor(view.head.time / DAY_MS);
      const volumes = await readKeyed(view, venueVolumes, { day: { from: Math.max(0, today - query.days + 1) } });
      const data = volumes.sort(newestAndLargest).map(({ venue, day, volumeUsd, trades }) => ({
        dex: venueLabel(chain, venue),
        day: new Date(day * DAY_MS).toISOString().slice(0, 10),
        volumeUsd: volumeNumber(volumeUsd)!,
        trades,
      }));
      return { chain: chain.slug, data, meta: metaOf(view) };
    });
  }
}

function newestAndLargest(a: VenueVolume, b: VenueVolume): number {
  if (a.day !== b.day) return b.day - a.day;
  if (a.volumeUsd !== b.volumeUsd) return a.volumeUsd < b.volumeUsd ? 1 : -1;
  return a.venue < b.venue ? -1 : 1;
}
