import { holders } from '#libs/pipeline/projections/holders/projection.js';
import type { KeyedProjection } from '#libs/pipeline/projections/keyed-projection.js';
import { launches } from '#libs/pipeline/projections/launches/projection.js';

/** Projections with one row a token, by its id alone, that every list of tokens shows. */
export const tokenProjections = [holders, launches] as const satisfies readonly KeyedProjection<{ token: string }>[];
