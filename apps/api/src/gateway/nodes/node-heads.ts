import type { JsonRpcEndpoint } from '#libs/chain/chains/rpc/endpoint.js';

export interface NodeHeadsOptions<E> {
  readonly endpoints: readonly E[];
  /** Head of one node; null where it did not say. */
  readonly headOf: (endpoint: E) => Promise<number | null>;
  /** How many blocks behind the newest head a node may be. */
  readonly tolerance: number;
  /** How long what was seen is believed. */
  readonly freshMs: number;
  /** How long a question waits for heads at most. */
  readonly waitMs: number;
  readonly now?: () => number;
}

/**
 * How far each node of a chain is, looked at when a question needs to know and what is known is old: one look is under way
 * at a time, and nothing is asked of nodes that are not in use. A single node is never looked at.
 */
export class NodeHeads<E extends JsonRpcEndpoint> {
  private readonly heads = new Map<E, number>();
  private looked = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;

  constructor(private readonly options: NodeHeadsOptions<E>) {}

  /** Brings what is known up to date, as far as nodes answer in time. */
  async refresh(): Promise<void> {
    const { endpoints, freshMs, waitMs, now = () => performance.now() } = this.options;
    if (endpoints.length < 2 || now() - this.looked < freshMs) return;
    this.looking ??= this.look().finally(() => {
      this.looked = now();
      this.looking = null;
    });
    await Promise.race([this.looking, after(waitMs)]);
  }

  headOf(endpoint: E): number | null {
    return this.heads.get(endpoint) ?? null;
  }

  /** `lags`: another node is further by more than the tolerance. `silent`: others said how far they are, this one did not. */
  seen(endpoint: E): { lags: boolean; silent: boolean } {
    const own = this.heads.get(endpoint);
    if (own === undefined) return { lags: false, silent: this.heads.size > 0 };
    return { lags: own + this.options.tolerance < Math.max(...this.heads.values()), silent: false };
  }

  private async look(): Promise<void> {
    await Promise.all(
      this.options.endpoints.map(async (endpoint) => {
        const head = await this.options.headOf(endpoint);
        // A node that does not answer says nothing of how far the others should be.
        if (head === null) this.heads.delete(endpoint);
        else this.heads.set(endpoint, head);
      }),
    );
  }
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
