import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { threadId } from 'node:worker_threads';
import type { SavedSize } from './adaptive-size.js';
import type { Lack } from './node-lacks.js';

/** Where the folder of a chain's source keeps what was learned of the nodes. */
export const nodesFile = (folder: string, chain: string): string => join(folder, `nodes.${chain}.json`);

/** What was learned of one node. */
export interface SavedNode {
  readonly sizes: Readonly<Record<string, SavedSize>>;
  readonly lacks: readonly Lack[];
}

/**
 * What was learned of nodes, in a file, so that a start does not learn it again by refusals. Threads of one process that ask
 * the same nodes each write what changed for themselves, and nothing where nothing changed. Invariant: it only makes things
 * faster: a missing or broken file is an empty one, two writes at the same moment keep one of them whole, and no URL is in it.
 */
export class NodeMemory {
  private readonly nodes: Record<string, SavedNode>;
  /** The file as it was read or written last. */
  private known: Record<string, SavedNode>;

  constructor(
    private readonly path: string,
    private readonly onError: (error: Error) => void = () => undefined,
  ) {
    this.known = read(path);
    this.nodes = { ...this.known };
  }

  of(key: string): SavedNode | undefined {
    return this.nodes[key];
  }

  keep(key: string, node: SavedNode): void {
    this.nodes[key] = node;
  }

  private changed(): boolean {
    return Object.entries(this.nodes).some(([key, node]) => !isDeepStrictEqual(this.known[key] ?? NOTHING, node));
  }

  /** What changed here since the last time, over what the file holds now. */
  private merged(file: Readonly<Record<string, SavedNode>>): Record<string, SavedNode> {
    const nodes: Record<string, SavedNode> = { ...file };
    for (const [key, here] of Object.entries(this.nodes)) {
      const [known = NOTHING, saved = NOTHING] = [this.known[key], file[key]];
      nodes[key] = {
        sizes: merge(known.sizes, here.sizes, saved.sizes),
        lacks: Object.values(merge(byName(known), byName(here), byName(saved))),
      };
    }
    return nodes;
  }

  save(): void {
    if (!this.changed()) return;
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      const merged = this.merged(read(this.path));
      const made = `${this.path}.${threadId}.new`;
      writeFileSync(made, JSON.stringify(merged));
      renameSync(made, this.path);
      this.known = { ...this.nodes };
    } catch (error) {
      this.onError(error as Error);
    }
  }
}

/** By name, of what was known, what it is here and what it is in the file: a change here counts, or else the file. */
function merge<T>(
  known: Readonly<Record<string, T>>,
  here: Readonly<Record<string, T>>,
  file: Readonly<Record<string, T>>,
) {
  const names = new Set([...Object.keys(here), ...Object.keys(file)]);
  const merged: Record<string, T> = {};
  for (const name of names) {
    const value = isDeepStrictEqual(known[name], here[name]) ? file[name] : here[name];
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

const byName = ({ lacks }: SavedNode): Record<string, Lack> =>
  Object.fromEntries(lacks.map((lack) => [lack.what, lack]));
const NOTHING: SavedNode = { sizes: {}, lacks: [] };

function read(path: string): Record<string, SavedNode> {
  try {
    const nodes = JSON.parse(readFileSync(path, 'utf8')) as Record<string, SavedNode>;
    const sound = Object.entries(nodes).filter(([, node]) => isSaved(node));
    return Object.fromEntries(sound);
  } catch {
    return {};
  }
}

function isSaved({ sizes, lacks }: SavedNode): boolean {
  const ofSizes = Object.values(sizes).every(
    ({ size, refused, patience }) =>
      Number.isSafeInteger(size) &&
      Number.isSafeInteger(patience) &&
      (refused === null || Number.isSafeInteger(refused)),
  );
  return (
    ofSizes &&
    lacks.every(({ what, below }) => typeof what === 'string' && (below === null || Number.isSafeInteger(below)))
  );
}
