import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SavedSize } from './adaptive-size.js';
import type { Lack } from './node-lacks.js';

/** What was learned of one node. */
export interface SavedNode {
  readonly sizes: Readonly<Record<string, SavedSize>>;
  readonly lacks: readonly Lack[];
}

/**
 * What was learned of nodes, in a file, so that a start does not learn it again by refusals. Invariant: it only makes things
 * faster: a missing or broken file is an empty one, and no URL is in it.
 */
export class NodeMemory {
  private readonly nodes: Record<string, SavedNode>;

  constructor(
    private readonly path: string,
    private readonly onError: (error: Error) => void = () => undefined,
  ) {
    this.nodes = read(path);
  }

  of(key: string): SavedNode | undefined {
    return this.nodes[key];
  }

  keep(key: string, node: SavedNode): void {
    this.nodes[key] = node;
  }

  save(): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      writeFileSync(`${this.path}.new`, JSON.stringify(this.nodes));
      renameSync(`${this.path}.new`, this.path);
    } catch (error) {
      this.onError(error as Error);
    }
  }
}

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
