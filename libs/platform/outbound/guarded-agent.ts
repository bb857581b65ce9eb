import { Agent } from 'undici';
import { type FetchParts, pin } from './guarded-fetch.js';
import { publicUrl, type UrlRules } from './public-url.js';

export interface AgentRules extends UrlRules {
  /** For finding the host, and for opening each connection. */
  readonly timeoutMs: number;
}

export interface GuardedAgent {
  readonly url: string;
  /** Connects to the address that was checked, whatever host it is asked for. */
  readonly agent: Agent;
}

/**
 * Connections to one host that a stranger named, for a client of its own, such as that of a node. The rules are those of
 * guardedFetch: all that the host resolves to must be public, and every connection goes to what was checked. It follows no
 * redirects; the caller closes the agent.
 */
export async function guardedAgent(text: string, rules: AgentRules, parts: FetchParts = {}): Promise<GuardedAgent> {
  const url = publicUrl(text, rules);
  const { lookup } = await pin(url, rules, parts, AbortSignal.timeout(rules.timeoutMs));
  const connect = { lookup, timeout: rules.timeoutMs };
  return { url: url.href, agent: new Agent({ connections: 4, pipelining: 1, connect }) };
}
