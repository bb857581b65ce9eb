import { type NodeProblem, nodeProblem, nodesVariable } from './node-problem.js';
import type { SourceLogger } from './source-status.js';

/** The same failure of the same node is logged again only after so long. */
const REMINDER_MS = 300_000;

/**
 * Logs the state of nodes: the first failure of each kind with the next step, a reminder now and then while it lasts,
 * and the recovery from each logged failure. A node that fails a thousand times is one line, not a thousand.
 */
export class NodeJournal {
  private readonly logged = new Map<number, { failure: string; at: number }>();

  constructor(
    private readonly chain: string,
    private readonly logger: SourceLogger | undefined,
    private readonly now: () => number = Date.now,
  ) {}

  failed(node: number, kind: string, message: string): void {
    const problem: NodeProblem = nodeProblem(kind, message, nodesVariable(this.chain));
    const known = this.logged.get(node);
    // Heights and counts in it make no other failure of it.
    const failure = problem.what.replace(/\d+/g, '#');
    if (known !== undefined && known.failure === failure && this.now() - known.at < REMINDER_MS) return;
    this.logged.set(node, { failure, at: this.now() });
    this.logger?.warn(this.fields(node, { kind }), `node ${node + 1} ${problem.what}; ${problem.next}`);
  }

  recovered(node: number): void {
    if (!this.logged.delete(node)) return;
    this.logger?.info(this.fields(node), `node ${node + 1} answers again`);
  }

  private fields(node: number, more: object = {}): object {
    return { chain: this.chain, node: node + 1, ...more };
  }
}
