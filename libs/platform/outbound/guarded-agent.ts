import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Agent } from 'undici';
import { type FetchParts, pin, resolveAll } from './guarded-fetch.js';
import { OutboundRefusal } from './outbound-refusal.js';
import { isPublicAddress } from './public-address.js';
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
  const trusted = rules.trustedOrigins?.has(url.origin) === true;
  const isPublic = (address: string) => trusted || (parts.isPublic ?? isPublicAddress)(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const found = await within(rules.timeoutMs, pin(host, isPublic, parts.resolve ?? resolveAll));
  const family = isIP(found.address);
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [{ address: found.address, family }]);
    else done(null, found.address, family);
  };
  const connect = { lookup, timeout: rules.timeoutMs };
  return { url: url.href, agent: new Agent({ connections: 4, pipelining: 1, connect }) };
}

function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new OutboundRefusal('time', 'the host was not found in time')), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
