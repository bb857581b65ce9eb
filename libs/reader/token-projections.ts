import { holders } from '#libs/projections/holders/projection.js';
import type { KeyedProjection } from '#libs/projections/keyed-projection.js';
import { launches } from '#libs/projections/launches/projection.js';

/** Projections with one row a token, by its id alone, that every list of tokens shows. */
export const tokenProjections = [holders, launches] as const satisfies readonly KeyedProjection<{ token: string }>[];
