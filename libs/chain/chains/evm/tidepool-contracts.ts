import type { Hex } from '#libs/core/ids.js';

/**
 * Where local chains run Tidepool's own launchpad: the words "tidepool.launchpad" and a number. No key or creation leads to this
 * address, so nothing but a local chain can have a contract there. A deployment elsewhere names its own.
 */
export const TIDEPOOL_LAUNCHPAD_EVM: Hex = '74696465706f6f6c2e6c61756e63687061640001';
