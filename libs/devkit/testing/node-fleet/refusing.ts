import type { Answer, Behaviour, Call, NodeView, Refusal, Reply, Request, Rule } from './behaviour.js';
import { jsonReply } from './reply.js';

/** How a node says no: by an error object, an HTTP status, a page, or nothing at all. */
export interface Refusing {
  readonly status?: number;
  readonly code?: number;
  readonly message?: string;
  /** Further fields of the error object. */
  readonly data?: unknown;
  /** The error as the answer to each call of a list, as one answer to the list, or as the whole body. */
  readonly shape?: 'list' | 'object' | 'bare';
  /** A body that is no JSON-RPC. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly without?: 'silence' | 'reset' | 'cut';
}

/** Whether a call, or the request that it is part of, is refused. */
export type Matches = (call: Call, request: Request, node: NodeView) => boolean | Promise<boolean>;

/** Refuses what matches. A refusal with a status of its own is one of the whole request. */
export function refuses(matches: Matches, refusing: Refusing): Behaviour['rule'] {
  return (node) => {
    const meets = async (call: Call, request: Request): Promise<boolean> => {
      if (!(await matches(call, request, node))) return false;
      node.struck();
      return true;
    };
    if (!ofWholeRequest(refusing)) {
      const onCall: Rule['onCall'] = async (call, request) =>
        (await meets(call, request)) ? { error: refusalOf(call, refusing) } : null;
      return { onCall };
    }
    const onRequest: Rule['onRequest'] = async (request) => {
      for (const call of request.calls) if (await meets(call, request)) return replyOf(request, refusing);
      return null;
    };
    return { onRequest };
  };
}

/** Answers what matches with a result of its own, such as null. */
export function answers(matches: Matches, result: unknown): Behaviour['rule'] {
  return (node) => ({
    onCall: async (call, request): Promise<Answer | null> => {
      if (!(await matches(call, request, node))) return null;
      node.struck();
      return { result };
    },
  });
}

/** Refuses a request whose answer is longer than so many bytes; the answer to a question that cannot be divided is given. */
export function longAnswers(
  most: number,
  refusing: Refusing,
  divides: (request: Request) => boolean,
): Behaviour['rule'] {
  return (node) => ({
    onText: (text, request): Reply | null => {
      if (text.length <= most || !divides(request)) return null;
      node.struck();
      return replyOf(request, refusing);
    },
  });
}

const ofWholeRequest = ({ status = 200, shape, text, without }: Refusing): boolean =>
  status !== 200 || shape !== undefined || text !== undefined || without !== undefined;

export function replyOf(request: Request, refusing: Refusing): Reply {
  const { status = 200, shape, text, without, headers } = refusing;
  if (without !== undefined) return without;
  if (text !== undefined) return { status, headers: { 'content-type': 'text/html', ...headers }, body: text };
  const [first] = request.calls;
  const error = refusalOf(first!, refusing);
  if (shape === 'bare') return jsonReply(status, error, headers);
  if (shape === 'list' && request.list) {
    const each = request.calls.map((call) => ({ jsonrpc: '2.0', id: call.id, error: refusalOf(call, refusing) }));
    return jsonReply(status, each, headers);
  }
  return jsonReply(status, { jsonrpc: '2.0', id: request.list ? null : first!.id, error }, headers);
}

/** The words of providers name the method, or a range that would do: `{method}`, `{from}`, `{to}`, `{half}`. */
function refusalOf({ method, params }: Call, { code, message = '', data }: Refusing): Refusal {
  const filter = params[0] ?? {};
  const [from, to] = [Number(filter.fromBlock ?? params[0]), Number(filter.toBlock ?? params[1])];
  // A question by hash or tag names no height.
  const hex = (height: number): string =>
    Number.isSafeInteger(Math.floor(height)) ? `0x${Math.floor(height).toString(16)}` : '0x0';
  const words = message
    .replaceAll('{method}', method)
    .replaceAll('{from}', hex(from))
    .replaceAll('{to}', hex(to))
    .replaceAll('{half}', hex(Math.max(from, from + (to - from) / 2)));
  return { code, message: words, ...(data === undefined ? {} : { data }) };
}
