import type { LaunchChain } from '#libs/serve/contract/rest/launch/launch-body.js';

const OWN = 'tidepool';

/**
 * The chains and launchpads that the form offers. `coins`: the coins of the indexed chains, because a token of another one would
 * be seen nowhere here. `local`: chains whose own local node the form fills in: it runs Tidepool's launchpad alone, a create on
 * another one would be refused.
 */
export function offeredLaunchpads(
  rows: readonly LaunchChain[],
  coins: { has(slug: string): boolean },
  local: { has(slug: string): boolean },
): LaunchChain[] {
  const offered = rows.map((row) =>
    local.has(row.slug) ? { ...row, platforms: row.platforms.filter((platform) => platform === OWN) } : row,
  );
  return offered.filter(({ slug, platforms }) => coins.has(slug) && platforms.length > 0);
}
