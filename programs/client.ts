/** Everything needed to call the swap program, its pools and its curves: instructions, states, events. */
export * from './amm-client.js';
export * from './associated-account.js';
export * from './compute-units.js';
export * from './errors.js';
export * from './instruction.js';
export * from './launchpad-client.js';
export * from './loader-client.js';
export * from './swap-client.js';
