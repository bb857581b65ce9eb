import { TidepoolError } from '#libs/core/errors.js';

/** About the node: another one may do better. `unanswered`: it took the question, and no whole answer came.
 * `incomplete`: it left something out. */
type NodeFault =
  | 'transport'
  | 'unanswered'
  | 'rate-limited'
  | 'invalid'
  | 'server'
  | 'incomplete'
  | 'inconsistent-response';
/**
 * About what the node has: another one may have it. `plan`: it has it for those who pay for another plan. `quota`: what the
 * plan gives in a day or a month is used up. `key`: it does not take the key, or asks for one. `head-not-reached` ends by
 * itself; the others are remembered for the same kind of question.
 */
type NodeLack = 'pruned' | 'method-missing' | 'plan' | 'quota' | 'key' | 'head-not-reached';
/** About the question: asking elsewhere gives the same, unless nodes hold different parts of the chain. */
type QuestionFault = 'too-large' | 'list-too-long' | 'unknown-block' | 'reverted' | 'bad-params';

/** Why a node did not answer. */
export type RpcErrorKind = NodeFault | NodeLack | QuestionFault;

const NODE_FAULTS: ReadonlySet<RpcErrorKind> = new Set<NodeFault>([
  ...(['transport', 'unanswered', 'rate-limited', 'invalid', 'server', 'incomplete', 'inconsistent-response'] as const),
]);
const NODE_LACKS: ReadonlySet<RpcErrorKind> = new Set<NodeLack>([
  'pruned',
  'method-missing',
  'plan',
  'quota',
  'key',
  'head-not-reached',
]);
/** What a smaller question may cure: the node gave up on it, or says so. */
const SIZE_FAULTS: ReadonlySet<RpcErrorKind> = new Set<RpcErrorKind>([
  'too-large',
  'unanswered',
  'server',
  'invalid',
  'bad-params',
]);

/** What the node does not offer, to this caller or to all. */
const NOT_OFFERED: ReadonlySet<RpcErrorKind> = new Set<RpcErrorKind>(['method-missing', 'plan', 'quota', 'key']);

/** What another method may cure. */
const METHOD_FAULTS: ReadonlySet<RpcErrorKind> = new Set<RpcErrorKind>([
  ...(['method-missing', 'plan', 'quota', 'key', 'server', 'invalid', 'bad-params', 'too-large'] as const),
]);

/** An error of a JSON-RPC node. The message names the endpoint by its number and never holds its URL. */
export class RpcError extends TidepoolError {
  constructor(
    readonly kind: RpcErrorKind,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(`rpc_${kind.replaceAll('-', '_')}`, message);
  }

  /** True when the node is to blame and not the question. */
  get blamesNode(): boolean {
    return NODE_FAULTS.has(this.kind);
  }

  /** True when the node does not have what was asked for. */
  get saysLack(): boolean {
    return NODE_LACKS.has(this.kind);
  }

  /** True when the node does not offer this method, to this caller or to all. */
  get lacksMethod(): boolean {
    return NOT_OFFERED.has(this.kind);
  }

  /** True when the node may do the same by another method: it may speak about this one and not about itself. */
  get maybeMethod(): boolean {
    return METHOD_FAULTS.has(this.kind);
  }

  /** True when a smaller question may be answered. A connection that was refused or cut before an answer is none of them. */
  get maybeSize(): boolean {
    return SIZE_FAULTS.has(this.kind);
  }
}

/** Takes everything out of a node's words that may carry the key of its URL. */
export function redact(text: string, url: string): string {
  return hideUrl(text, url)
    .replace(/\b(https?|wss?):\/\/\S+/gi, '[url]')
    .slice(0, 300);
}

/** The same text without a node's own URL and the parts of it that may be a key. Other addresses in it stay. */
export function hideUrl(text: string, url: string): string {
  let clean = text.split(url).join('[url]');
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed) {
    const secrets = [
      parsed.username,
      parsed.password,
      parsed.hostname.split('.').length > 2 ? parsed.hostname.split('.')[0]! : '',
      ...parsed.pathname.split('/').filter((part) => part.length >= 6),
      ...parsed.searchParams.values(),
    ];
    for (const secret of secrets) if (secret.length >= 4) clean = clean.split(secret).join('[hidden]');
  }
  return clean;
}
