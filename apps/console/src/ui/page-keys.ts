/** The single keys of the page that is open. */
const pageKeys = new Map<string, () => void>();

/** Binds a key until the answer is called. */
export function onKey(key: string, act: () => void): () => void {
  pageKeys.set(key, act);
  return () => {
    if (pageKeys.get(key) === act) pageKeys.delete(key);
  };
}

export const pageKey = (key: string): (() => void) | undefined => pageKeys.get(key);
