import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import { TidepoolError } from '#libs/core/errors.js';
import { AdaptiveSize, type SavedSize } from './adaptive-size.js';
import type { NodeMemory } from './node-memory.js';
import { NodeState } from './node-state.js';
import { MOST, type SizeName, START } from './question-sizes.js';

export interface NodeSetOptions {
  urls: readonly string[];
  /** Connections to each node; absent: as many as those who ask allow themselves. */
  connections?: number;
  /** Keeps what was learned of the nodes for the next start. */
  memory?: NodeMemory;
  /** How often it is written while the nodes are asked. */
  rememberMs?: number;
  onClosed?: () => void;
}

/** How often what was learned is written, where something was: a process that is killed loses no more than that. */
const REMEMBER_MS = 60_000;

/**
 * The nodes of one chain: the connections to them and what is known of each, for every pool that asks them. Invariant: it
 * closes once, with the last pool that uses it.
 */
export class NodeSet {
  readonly urls: readonly string[];
  readonly agent: Agent;
  readonly states: readonly NodeState[];
  private users = 0;
  private remembering: NodeJS.Timeout | null = null;

  constructor(private readonly options: NodeSetOptions) {
    const { urls, connections, memory } = options;
    if (urls.length === 0) throw new TidepoolError('no_rpc', 'no HTTP RPC endpoint is configured');
    this.urls = urls;
    this.agent = new Agent({ ...(connections && { connections }), keepAliveTimeout: 30_000, pipelining: 1 });
    this.states = urls.map((url) => {
      const saved = memory?.of(keyOf(url));
      const state = new NodeState(saved?.lacks);
      for (const [name, size] of Object.entries(saved?.sizes ?? {})) restore(state, name, size);
      return state;
    });
  }

  /** For a pool that uses it until it leaves. */
  enter(): this {
    this.users++;
    if (this.options.memory !== undefined) {
      this.remembering ??= setInterval(() => this.remember(), this.options.rememberMs ?? REMEMBER_MS).unref();
    }
    return this;
  }

  async leave(): Promise<void> {
    if (--this.users > 0) return;
    if (this.remembering !== null) clearInterval(this.remembering);
    this.remembering = null;
    this.remember();
    this.options.onClosed?.();
    await this.agent.destroy();
  }

  /** Keeps what was learned for the next start. */
  remember(): void {
    const { memory, urls } = this.options;
    if (memory === undefined) return;
    for (const [index, { sizes, lacks }] of this.states.entries()) {
      const saved = Object.fromEntries([...sizes].map(([name, size]) => [name, size.saved()]));
      memory.keep(keyOf(urls[index]!), { sizes: saved, lacks: lacks.all() });
    }
    memory.save();
  }
}

function restore(state: NodeState, name: string, saved: SavedSize): void {
  if (!(name in MOST)) return;
  const size = new AdaptiveSize(MOST[name as SizeName], START[name as SizeName]);
  size.restore(saved);
  state.sizes.set(name, size);
}

/** Names a node without its URL, which may hold a key. */
const keyOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);
