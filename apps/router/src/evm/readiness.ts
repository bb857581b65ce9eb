import type { EvmChainReady, EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import { notReady } from '../refusal.js';
import type { EvmChain, EvmChainServices, ProjectedHead } from './ports.js';

/**
 * A chain can trade when it has a node, a verified venue and a fresh head; chains are independent. A head is judged by
 * the age of its block, not by when it was seen, because the age of a price matters.
 */
const FRESH_MS = 30_000;
const FRESH_BLOCKS = 10;

/** Every reason why a chain cannot trade now; none when it can. */
export function reasonsOf(chain: EvmChain, now: number): string[] {
  const { spec, services } = chain;
  if (services === null) return [`${spec.slug}: ${chain.absence}`];
  const reasons: string[] = [];
  if (!hasVenue(services)) reasons.push(`${spec.slug}: no venue verified yet`);
  if (!hasHead(chain, services, now)) reasons.push(`${spec.slug}: no fresh block head`);
  return reasons;
}

/** The services of a chain that can trade, or a refusal with every reason. */
export function readyServices(chain: EvmChain, now: number): EvmChainServices {
  const { services } = chain;
  if (services !== null && hasVenue(services) && hasHead(chain, services, now)) return services;
  throw notReady(reasonsOf(chain, now));
}

const hasVenue = (services: EvmChainServices): boolean => services.venues.servable().size > 0;
const hasHead = (chain: EvmChain, services: EvmChainServices, now: number): boolean =>
  isFresh(chain, services.head(), now) && services.book.head !== null;

function isFresh(chain: EvmChain, head: ProjectedHead | null, now: number): boolean {
  return head !== null && now - head.time <= Math.max(FRESH_MS, FRESH_BLOCKS * chain.spec.blockTimeMs);
}

export function evmReadiness(chains: readonly EvmChain[], now: number): EvmReadyBody {
  const reasons = chains.map((chain) => reasonsOf(chain, now));
  const ready = reasons.some((list) => list.length === 0);
  const all = reasons.flat();
  return {
    ready,
    reasons: ready ? [] : all,
    ...(ready && all.length > 0 ? { warnings: all } : {}),
    chains: chains.map((chain, index) => entryOf(chain, reasons[index]!.length === 0, now)),
  };
}

function entryOf({ spec, services }: EvmChain, ready: boolean, now: number): EvmChainReady {
  const head = services?.head() ?? null;
  const rows = services?.venues.rows() ?? [];
  return {
    chain: spec.slug,
    chainId: spec.chainId!,
    ready,
    venues: rows.filter((row) => row.servable).map((row) => row.dex),
    head: head && {
      source: head.source,
      number: String(head.height),
      ...(head.source === 'stream' ? { ageMs: Math.max(0, now - head.time) } : {}),
    },
  };
}
