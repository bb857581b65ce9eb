import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';

/** A home in the heap for each epoch and fold version that is asked for. */
export function heapPlaces(): (epoch: number, foldVersion: number) => { home: HeapHome } {
  const homes = new Map<string, HeapHome>();
  return (epoch, foldVersion) => {
    const name = `e${epoch}.f${foldVersion}`;
    const home = homes.get(name) ?? new HeapHome(foldSpaces);
    homes.set(name, home);
    return { home };
  };
}
