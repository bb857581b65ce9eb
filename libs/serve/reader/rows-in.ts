import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import type { KeyedProjection } from '#libs/pipeline/projections/keyed-projection.js';

/** Rows of a projection in a group of facts. */
export function rowsIn({ keyed }: Pick<KeyedProjection<never>, 'keyed'>, facts: object): readonly KeyedRow[] {
  return (facts as Record<string, readonly KeyedRow[] | undefined>)[keyed.member] ?? [];
}
