/**
 * Removes credentials from text on its way to a log. Works on the finished line, the last place before it leaves the
 * process, so that no caller can forget it: known secrets by value, and whatever has the shape of a credential.
 */
export class Redactor {
  private readonly secrets = new Set<string>();

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Registers a value that must never be shown. Very short values are refused: they would garble every line. */
  add(secret: string): void {
    if (secret.length < 4) return;
    this.secrets.add(secret);
    this.secrets.add(JSON.stringify(secret).slice(1, -1));
    this.secrets.add(encodeURIComponent(secret));
  }

  redact(text: string): string {
    let clean = text;
    for (const secret of this.secrets) {
      if (clean.includes(secret)) clean = clean.replaceAll(secret, MARK);
    }
    return clean
      .replace(URLS, redactUrl)
      .replace(BEARER, `$1${MARK}`)
      .replace(NAMED, (_, name: string, separator: string) => `${name}${separator}${MARK}`);
  }
}

const MARK = '[redacted]';

const URLS = /\b(?:https?|wss?|grpcs?):\/\/[^\s"'<>\\)\]}]+/gi;
const BEARER = /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi;
/** `apiKey=…`, `"x-api-key":"…"`, `password: …`: the name stays, the value goes. */
const NAMED =
  /\b(x-api-key|api[_-]?key|authorization|password|passwd|secret|access[_-]?token)(\\?["']?\s*[:=]\s*\\?["']?)(?!\[redacted\]|null\b|Bearer\s|Basic\s)[^\s"'\\,;&}]+/gi;

/** A path segment long and mixed enough to be a provider's key. */
const looksLikeKey = (segment: string): boolean => segment.length >= 16 && !/^0x[0-9a-f]{40}$/i.test(segment);

function redactUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const path = url.pathname.split('/').map((segment) => (looksLikeKey(segment) ? MARK : segment));
  const names = [...url.searchParams.keys()].map((name) => `${name}=${MARK}`);
  const credentials = url.username === '' && url.password === '' ? '' : `${MARK}@`;
  const shown = path.join('/');
  // A bare origin keeps the spelling it had: no slash is added.
  const plain = shown === '/' && !/^[a-z]+:\/\/[^/]+\//i.test(text) ? '' : shown;
  return `${url.protocol}//${credentials}${url.host}${plain}${names.length > 0 ? `?${names.join('&')}` : ''}`;
}
