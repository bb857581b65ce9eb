import type { ChainStatus } from '#libs/serve/contract/rest/status-body.js';
import { buildingSentence } from './chain-words.js';

/** A quiet line about another version of the chain's data that is built next to the served one. */
export function BuildingLine({ chain }: { chain: ChainStatus }) {
  const { building } = chain;
  if (building === null) return null;
  return (
    <div class="building" data-building={building.version ?? ''}>
      <p class="quiet">{buildingSentence(building)}</p>
      <progress class="building-bar" max={100} value={building.percent} aria-label={`Upgrade of ${chain.name}`}>
        {building.percent}%
      </progress>
      {building.waiting !== null && <p class="building-waits">{building.waiting}</p>}
    </div>
  );
}
