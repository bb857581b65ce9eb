import type { FastifyRequest } from 'fastify';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { CostClass, RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from './answer.js';
import type { StreamAnswer } from './stream-answer.js';

/** One route of a listener. `path` is in Fastify's spelling; each `:name` matches one non-empty segment. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Answers without a key. */
  readonly open: boolean;
  readonly handle: (request: FastifyRequest) => Answer | StreamAnswer | Promise<Answer | StreamAnswer>;
  /** What a key must be for, where it is another thing than the listener's other routes. */
  readonly scope?: KeyScope;
  /** Of a route without a declaration; `read` without it. */
  readonly cost?: CostClass;
  /** Sent with every answer, unless the answer has one of its own. */
  readonly cacheControl?: string | null;
  /** What it was made from; null for files and the like, which no document describes. */
  readonly declaration?: RouteDeclaration;
}

/**
 * Which methods a concrete path knows: what tells a 405 from a 404. A path claimed twice with the same method stops the
 * boot, and so does a name that two routes have.
 */
export class RouteTable {
  private readonly patterns: { match: RegExp; methods: string[] }[] = [];

  constructor(routes: readonly HttpRoute[]) {
    const byPath = new Map<string, string[]>();
    const claimed = new Set<string>();
    const named = new Map<string, RouteDeclaration>();
    for (const { method, path, declaration } of routes) {
      // Two spellings that match the same paths are one path.
      const claim = `${method} ${path.replace(/:\w+/g, ':')}`;
      if (declaration !== undefined) {
        // One declaration may be served below several prefixes.
        const other = named.get(declaration.id);
        if (other !== undefined && (other !== declaration || claimed.has(claim)))
          throw new Error(`two routes are called ${declaration.id}`);
        named.set(declaration.id, declaration);
      }
      if (claimed.has(claim)) throw new Error(`route ${method} ${path} is registered twice`);
      claimed.add(claim);
      byPath.set(path, [...(byPath.get(path) ?? []), method]);
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
