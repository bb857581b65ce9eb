import { TidepoolError } from '#libs/core/errors.js';

/**
 * Why a node did not answer. `transport`, `rate-limited`, `invalid`, `server` and `lie` speak about the node: another
 * one may do better. The rest speaks about the question: asking elsewhere gives the same, unless nodes hold different
 * parts of the chain.
 */
export type RpcErrorKind =
  | 'transport'
  | 'rate-limited'
  | 'invalid'
  | 'server'
  | 'inconsistent-response'
  | 'too-large'
  | 'pruned'
  | 'unknown-block'
  | 'reverted'
  | 'method-missing'
  | 'bad-params';

/** An error of a JSON-RPC node. The message names the endpoint by its number and never holds its URL. */
export class RpcError extends TidepoolError {
  constructor(
    readonly kind: RpcErrorKind,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(`rpc_${kind.replace('-', '_')}`, message);
  }

  /** True when the node is to blame and not the question. */
  get blamesNode(): boolean {
    return ['transport', 'rate-limited', 'invalid', 'server', 'inconsistent-response'].includes(this.kind);
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
