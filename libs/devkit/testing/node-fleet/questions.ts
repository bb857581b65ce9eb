import type { Call, NodeView } from './behaviour.js';
import { blocksOf, widthOf } from './blocks-of-call.js';
import type { Matches } from './refusing.js';

/** Questions that nodes refuse, as conditions. */
export const longLists =
  (most: number): Matches =>
  (_call, { calls, list }) =>
    list && calls.length > most;

export const widerThan =
  (blocks: number): Matches =>
  (call) =>
    widthOf(call) > blocks;

/** A range of logs with more of them; a single block is always answered. */
export const moreLogsThan =
  (most: number): Matches =>
  async (call, _request, node) =>
    call.method === 'eth_getLogs' && widthOf(call) > 1 && (await countOf(call, node)) > most;

/** Also a single block with more logs is refused. */
export const anyLogsAbove =
  (most: number): Matches =>
  async (call, _request, node) =>
    call.method === 'eth_getLogs' && (await countOf(call, node)) > most;

export const methods =
  (...names: string[]): Matches =>
  ({ method }) =>
    names.includes(method);

export const withoutAddress: Matches = ({ method, params }) =>
  method === 'eth_getLogs' && params[0]?.address === undefined;

/** About a block below a share of the chain; the first block is always there. */
export const olderThan =
  (share: number, ...names: string[]): Matches =>
  async (call, _request, node) => {
    if (names.length > 0 && !names.includes(call.method)) return false;
    const span = await blocksOf(call, node);
    return span !== null && span.from < oldestOf(share, node) && span.to > 0;
  };

/** A range that ends above the newest block of the machine that answers. */
export const beyondHead: Matches = async (call, { lag }, node) => {
  if (widthOf(call) === 0) return false;
  const span = await blocksOf(call, node);
  return span !== null && span.to > (await node.head()) - lag;
};

/** Some of the requests: `down` after every `up`. */
export const after =
  (up: number, down: number): Matches =>
  (_call, { nth }) =>
    nth % (up + down) >= up;

export const untilRequest =
  (count: number): Matches =>
  (_call, { nth }) =>
    nth < count;

export const fromRequest =
  (count: number): Matches =>
  (_call, { nth }) =>
    nth >= count;

export const always: Matches = () => true;

export const both =
  (one: Matches, other: Matches): Matches =>
  async (...about) =>
    (await one(...about)) && (await other(...about));

export const oldestOf = (share: number, { startHead }: NodeView): number => Math.ceil(share * startHead);

async function countOf({ method, params }: Call, node: NodeView): Promise<number> {
  const answer = await node.ask(method, params);
  return 'result' in answer ? answer.result.length : 0;
}
