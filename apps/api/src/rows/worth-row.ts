import type { TokenWorth } from '#libs/pipeline/fold/token-values.js';
import { volumeNumber } from './display.js';

/** What could be taken out, as every answer shows it. */
export const worthRow = ({ exitUsd, depthUsd, basis }: TokenWorth) => ({
  exitUsd: volumeNumber(exitUsd),
  depthUsd: depthUsd && { percent2: volumeNumber(depthUsd.percent2)!, percent10: volumeNumber(depthUsd.percent10)! },
  priceBasis: basis,
});
