/** What may be asked for more or less of, with the most that any node is asked. */
export const MOST = {
  list: 100,
  'list bytes': 4 * 1024 * 1024,
  'log blocks': 2_000,
  'receipt blocks': 32,
  slots: 10_000,
  'bundled calls': 100,
};
export type SizeName = keyof typeof MOST;
export const START: Partial<Record<SizeName, number>> = { 'list bytes': 1024 * 1024, 'receipt blocks': 8 };
