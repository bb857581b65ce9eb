import type { Hex } from '#libs/core/ids.js';
import type { TokenSafeties } from '#libs/pipeline/safety/safety-book.js';
import type { TokenRisk } from '#libs/protocol/token-safety.js';
import type { TokenFinding } from '../model/token-finding.js';
import type { TokenKnowledge } from '../ports.js';

/** The worst first. Who cannot be paid by the pool cannot be built a buy for. */
const FINDINGS: readonly (readonly [TokenRisk, TokenFinding])[] = [
  ['not_transferable', 'not_transferable'],
  ['not_buyable', 'not_transferable'],
  ['not_sellable', 'not_sellable'],
  ['taxed', 'taxed'],
];

/**
 * What builds of this router found of tokens, and what the indexer's simulations found of the others. A build is younger, and of the
 * very swap that was asked for: where it found something, that counts.
 */
export class AllTokenKnowledge implements TokenKnowledge {
  constructor(
    private readonly ofBuilds: TokenKnowledge,
    private readonly safeties: TokenSafeties,
  ) {}

  /** Neither part ever falls. */
  get version(): number {
    return this.ofBuilds.version + this.safeties.changes;
  }

  get size(): number {
    return this.ofBuilds.size + this.safeties.size;
  }

  of(token: Hex): TokenFinding | null {
    const built = this.ofBuilds.of(token);
    if (built !== null) return built;
    const summary = this.safeties.summaryOf(token);
    if (summary === null) this.safeties.ask(token);
    const risks = summary?.risks ?? [];
    return FINDINGS.find(([risk]) => risks.includes(risk))?.[1] ?? null;
  }
}
