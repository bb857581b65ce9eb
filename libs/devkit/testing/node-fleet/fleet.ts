import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { Behaviour, Capability, Family, Proof, Span } from './behaviour.js';
import { EVM_BEHAVIOURS } from './evm-behaviours.js';
import { ANSWERS_NOTHING, SHARED_BEHAVIOURS } from './shared-behaviours.js';
import { SOLANA_BEHAVIOURS } from './solana-behaviours.js';

/** Behaviours of each node, in the order of preference. */
export type Fleet = readonly (readonly Behaviour[])[];

const MOST_NODES = 4;
const MOST_BEHAVIOURS = 3;

export function behavioursOf(family: Family): readonly Behaviour[] {
  return [...SHARED_BEHAVIOURS, ...(family === 'evm' ? EVM_BEHAVIOURS : SOLANA_BEHAVIOURS)];
}

/** Share of the fleets that lack something on each of their nodes, so that all of them together may lack it. */
const POOR = 0.3;

/**
 * One to four nodes with up to three behaviours each. Those of one kind (`range: …`) are not drawn twice for a node. In some
 * fleets each node lacks a part of what one need of the chain is met by.
 */
export function randomFleet(family: Family, seed: number): Fleet {
  const random = new SeededRandom(seed);
  const all = behavioursOf(family);
  const lacked = random.chance(POOR) ? random.pick(NEEDS[family]).any : [];
  return Array.from({ length: random.between(1, MOST_NODES) }, () => {
    const chosen: Behaviour[] = [];
    const add = (behaviour: Behaviour): void => {
      if (chosen.every((other) => kindOf(other) !== kindOf(behaviour))) chosen.push(behaviour);
    };
    const lacks = lacked.map((capability) => all.filter(({ only }) => only?.[capability] !== undefined));
    for (const behaviours of lacks) add(random.pick(behaviours.filter(({ only }) => only !== ANSWERS_NOTHING)));
    for (let wanted = random.between(0, MOST_BEHAVIOURS); wanted > chosen.length; wanted--) add(random.pick(all));
    return chosen;
  });
}

const kindOf = ({ name }: Behaviour): string => name.split(':')[0]!;

/** A fleet in words, for the message of a failure. */
export const fleetText = (fleet: Fleet): string =>
  fleet.map((node, n) => `node ${n + 1}: ${node.map(({ name }) => name).join(' + ') || 'honest'}`).join('\n');

/** What a chain needs of its nodes: each row is met by any of its capabilities, from node to node and block to block. */
const NEEDS: Readonly<Record<Family, readonly { any: readonly Capability[]; at: 'all' | 'head' }[]>> = {
  evm: [
    { any: ['blocks'], at: 'all' },
    { any: ['logs', 'receipts'], at: 'all' },
    { any: ['state'], at: 'head' },
  ],
  solana: [
    { any: ['blocks'], at: 'all' },
    { any: ['slots'], at: 'all' },
  ],
};

const WHOLE: Span = [0, 1];

/**
 * What one node answers of the chain, all its behaviours together. `asSeen`: with the false answers that nothing shows but
 * the receipts of a block or another node.
 */
export function spanOf(node: readonly Behaviour[], capability: Capability, asSeen = false): Span {
  let span: Span = WHOLE;
  for (const { only, falsifies } of node) {
    if (asSeen && falsifies !== undefined && falsifies.caughtBy !== 'counts') continue;
    const limit = only?.[capability];
    if (limit === undefined) continue;
    if (limit === null || span === null) return null;
    const [from, to] = [Math.max(span[0], limit[0]), Math.min(span[1], limit[1])];
    span = from > to ? null : [from, to];
  }
  return span;
}

/** Newest block that any node of the fleet speaks of, as a share of the chain: for the fleet that is the head. */
export function newestOf(fleet: Fleet): number {
  const heads = fleet
    .filter((node) => !isDeafNode(node))
    .map((node) => Math.min(...node.map(({ newest = 1 }) => newest), 1));
  return Math.max(0, ...heads);
}

/** Capabilities of which the nodes of the fleet together lack a part of the chain; empty: the log can be written. */
export function missing(family: Family, fleet: Fleet, asSeen = false): Capability[] {
  const head = newestOf(fleet);
  return NEEDS[family].flatMap(({ any, at }) => {
    const spans = any
      .flatMap((capability) => fleet.map((node) => spanOf(node, capability, asSeen)))
      .filter((span) => span !== null);
    const enough = at === 'head' ? spans.some(([, to]) => to >= head) : isCovered(spans, head);
    return enough ? [] : [any[0]!];
  });
}

function isCovered(spans: readonly (readonly [number, number])[], head: number): boolean {
  let reached = 0;
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (from > reached) return false;
    reached = Math.max(reached, to);
  }
  return spans.length > 0 && reached >= head;
}

/** By what the false answers of the fleet's nodes are found, each once. */
export const proofsOf = (fleet: Fleet): readonly Proof[] => [
  ...new Set(fleet.flat().flatMap(({ falsifies }) => (falsifies === undefined ? [] : [falsifies.caughtBy]))),
];

/** The honest costs of one chain. */
export interface HonestCost {
  readonly requests: number;
  readonly calls: number;
  readonly blocks: number;
}

/** Tries of a limit until it is known, a node. */
const LEARNING = 40;

/** Looks at a head that stays until it is called stale, a node, with the pauses of the harnesses. */
const STALE_LOOKS = 40;

/**
 * Requests that a careful client needs with this fleet: those of the honest one, and what the limits of lists and ranges add,
 * of the node that allows least; of false answers, each block once more by itself, as header and
 * receipts. A share of the requests is refused by nodes that fail.
 */
export function requestsFor(fleet: Fleet, honest: HonestCost): number {
  const costs = fleet.flat().map(({ cost }) => cost ?? {});
  const list = Math.min(...costs.map(({ list = Number.POSITIVE_INFINITY }) => list));
  const range = Math.min(...costs.map(({ range = Number.POSITIVE_INFINITY }) => range));
  const served = costs.reduce((share, { served = 1 }) => share * served, 1);
  const again = proofsOf(fleet).length > 0 ? 2 * honest.blocks : 0;
  const needed = honest.requests + honest.calls / list + honest.blocks / range + again;
  const stale = fleet.filter((node) => newestOf([node]) < 1).length;
  return Math.ceil(needed / served) + LEARNING * fleet.length + STALE_LOOKS * stale;
}

/** Whether no node of the fleet answers anything in the end. */
export const isDeaf = (fleet: Fleet): boolean => fleet.every(isDeafNode);

/** Whether a node answers nothing in the end. */
export const isDeafNode = (node: readonly Behaviour[]): boolean => node.some(({ only }) => only === ANSWERS_NOTHING);
