import { type NodeProblem, nodeProblem, nodesVariable } from './node-problem.js';
import type { SourceLogger } from './source-status.js';

/** The same failure of the same node is told again only after so long. */
const REMIND_MS = 300_000;

/**
 * Tells the terminal of nodes: the first failure of each kind with the next step, a reminder now and then while it lasts,
 * and the recovery of whatever was told. A node that fails a thousand times is one line, not a thousand.
 */
export class NodeJournal {
  private readonly told = new Map<number, { failure: string; at: number }>();

  constructor(
    private readonly chain: string,
    private readonly logger: SourceLogger | undefined,
    private readonly now: () => number = Date.now,
  ) {}

  failed(node: number, kind: string, message: string): void {
    const problem: NodeProblem = nodeProblem(kind, message, nodesVariable(this.chain));
    const known = this.told.get(node);
    // Heights and counts in it make no other failure of it.
    const failure = problem.what.replace(/\d+/g, '#');
    if (known !== undefined && known.failure === failure && this.now() - known.at < REMIND_MS) return;
    this.told.set(node, { failure, at: this.now() });
    this.logger?.warn(this.fields(node, { kind }), `node ${node + 1} ${problem.what}; ${problem.next}`);
  }

  recovered(node: number): void {
    if (!this.told.delete(node)) return;
    this.logger?.info(this.fields(node), `node ${node + 1} answers again`);
  }

  private fields(node: number, more: object = {}): object {
    return { chain: this.chain, node: node + 1, ...more };
  }
}
