import type { RpcError, RpcErrorKind } from './rpc-error.js';

/** A kind of question: what is asked for, and of which block where old ones differ from new ones. */
export interface Need {
  readonly what: string;
  readonly height?: number;
}

/** What a node said that it does not have. */
export interface Lack {
  readonly what: string;
  /** Of blocks below this height; null: of any. */
  readonly below: number | null;
  readonly kind: RpcErrorKind;
  readonly message: string;
}

/** What all of some nodes lack, in the words of the first. */
export function commonLacks<T extends Pick<Lack, 'what'>>([first = [], ...others]: readonly (readonly T[])[]): T[] {
  return first.filter(({ what }) => others.every((lacks) => lacks.some((lack) => lack.what === what)));
}

/** A node may be given another plan, or get what it lacks: after this time it is asked again. */
const BELIEVED_MS = 600_000;
/** A node that has not come to a block may have come to it so much later. */
const BEHIND_MS = 1_000;

/**
 * What one node lacks, learned from its refusals. Invariant: an answer to a need ends what was believed against it; a node
 * that drops its past lacks everything below the highest block that it refused.
 */
export class NodeLacks {
  private readonly known = new Map<string, { lack: Lack; until: number }>();
  private behind = { height: 0, until: Number.NEGATIVE_INFINITY };

  constructor(saved: readonly Lack[] = []) {
    for (const lack of saved) this.known.set(lack.what, { lack, until: performance.now() + BELIEVED_MS });
  }

  add({ what, height }: Need, { kind, message }: RpcError): void {
    const before = this.known.get(what)?.lack;
    let below: number | null = null;
    if (kind === 'pruned' && height !== undefined && before?.below !== null)
      below = Math.max(height + 1, before?.below ?? 0);
    this.known.set(what, { lack: { what, below, kind, message }, until: performance.now() + BELIEVED_MS });
  }

  /** The node has not come to a block: for a moment, others are asked for it and for later ones first. */
  isBehind(height: number): void {
    this.behind = { height, until: performance.now() + BEHIND_MS };
  }

  /** The node answered such a question. */
  has(need: Need): void {
    if (need.height !== undefined && need.height >= this.behind.height) this.behind.until = Number.NEGATIVE_INFINITY;
    if (this.known.size > 0 && this.lacks(need)) this.known.delete(need.what);
  }

  lacks({ what, height }: Need): boolean {
    if (height !== undefined && height >= this.behind.height && performance.now() < this.behind.until) return true;
    const known = this.known.get(what);
    if (known === undefined) return false;
    if (performance.now() > known.until) {
      this.known.delete(what);
      return false;
    }
    const { below } = known.lack;
    return below === null || (height !== undefined && height < below);
  }

  all(): readonly Lack[] {
    return [...this.known.values()].map(({ lack }) => lack);
  }
}
