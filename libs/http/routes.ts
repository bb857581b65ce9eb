import type { FastifyRequest } from 'fastify';
import type { Answer } from './answer.js';
import type { StreamAnswer } from './stream-answer.js';

/** One route of a listener. `path` is in Fastify's spelling; each `:name` stands for one non-empty segment. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Answers without a key. */
  readonly open: boolean;
  readonly handle: (request: FastifyRequest) => Answer | StreamAnswer | Promise<Answer | StreamAnswer>;
}

/**
 * Which methods a concrete path knows: what tells a 405 from a 404. A path claimed twice with the same method stops the
 * boot.
 */
export class RouteTable {
  private readonly patterns: { match: RegExp; methods: string[] }[] = [];

  constructor(routes: readonly HttpRoute[]) {
    const byPath = new Map<string, string[]>();
    for (const route of routes) {
      const methods = byPath.get(route.path) ?? [];
      if (methods.includes(route.method)) throw new Error(`route ${route.method} ${route.path} is registered twice`);
      methods.push(route.method);
      byPath.set(route.path, methods);
    }
    for (const [path, methods] of byPath) {
      const source = path
        .split('/')
        .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
        .join('/');
      this.patterns.push({ match: new RegExp(`^${source}$`), methods });
    }
  }

  /** The declared methods of a path, or null when no route has it. */
  methods(path: string): readonly string[] | null {
    return this.patterns.find((pattern) => pattern.match.test(path))?.methods ?? null;
  }
}
