import type { RpcError } from './rpc-error.js';

/** What the answers and refusals of a list of calls say: of the list as a whole, or of one call in it. */

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** One answer of a batch: a call may fail on its own. */
export type RpcAnswer = { result: unknown; error?: undefined } | { error: RpcError; result?: undefined };

const IN_NO_LIST: ReadonlySet<RpcError['kind']> = new Set(['transport', 'inconsistent-response']);

/** Whether a shorter list may be taken. A connection that does not come about is no matter of length. */
export const mayBeOfList = ({ kind }: RpcError): boolean => !IN_NO_LIST.has(kind);

/** Whether it speaks of how much was asked at once. */
export const saysLength = ({ kind }: RpcError): boolean =>
  kind === 'list-too-long' || kind === 'too-large' || kind === 'rate-limited';

/** The refusal that all answers of a list have in common, where it may be one of the list; null where a call has its own. */
export function refusalOfAll(given: readonly RpcAnswer[]): RpcError | null {
  const first = given[0]?.error;
  if (given.length < 2 || first === undefined) return null;
  const ofList = ['list-too-long', 'server', 'bad-params', 'plan', 'quota', 'key'].includes(first.kind);
  return ofList && given.every(({ error }) => error?.message === first.message) ? first : null;
}

/** Some nodes echo an id as text, or behind a prefix of their own. */
export const idOf = (id: unknown): number =>
  typeof id === 'number' ? id : Number(/^\D*(\d{1,15})$/.exec(String(id))?.[1] ?? Number.NaN);

/** Whether a second answer to a call says what the first one did. */
export const isRepeated = (first: RpcAnswer | undefined, item: Record<string, unknown>): boolean =>
  first === undefined || (first.error === undefined && JSON.stringify(first.result) === JSON.stringify(item.result));
