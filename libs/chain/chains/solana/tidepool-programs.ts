/**
 * Addresses at which the local chain runs Tidepool's own programs. No key belongs to them: nothing but a local chain can
 * have programs there. A deployment elsewhere names its own.
 */
export const TIDEPOOL_AMM = 'TidepooLAmm11111111111111111111111111111111';
export const TIDEPOOL_LAUNCHPAD = 'TidepooLLaunchpad11111111111111111111111111';
export const TIDEPOOL_SWAP = 'TidepooLSwap1111111111111111111111111111111';
