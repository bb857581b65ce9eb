import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { chainSpec } from '../catalogue.js';

/** Joined specs of the chains by name, for specs and benchmarks that are about one of them. */
const named = (slug: string): ChainSpec => chainSpec(slug)!;

export const eth = named('eth');
export const bsc = named('bsc');
export const base = named('base');
export const sol = named('sol');
