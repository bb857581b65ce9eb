/** The words of a refusal, wherever a node or its gateway puts them: an error object, a bare object, a text, a page. */
export interface SaidRefusal {
  readonly code: number | null;
  /** Empty where nothing was said. */
  readonly message: string;
}

const MEMBERS = ['message', 'error', 'detail', 'details', 'msg', 'reason', 'title', 'description', 'error_description'];
const MOST_CHARACTERS = 500;

/** From an object of an answer. */
export function refusalIn(value: unknown, depth = 0): SaidRefusal {
  if (typeof value === 'string') return { code: null, message: value.slice(0, MOST_CHARACTERS) };
  if (typeof value !== 'object' || value === null || depth > 3) return { code: null, message: '' };
  if (Array.isArray(value)) return refusalIn(value[0], depth + 1);
  const object = value as Record<string, unknown>;
  const own = numberOf(object.code) ?? numberOf(object.statusCode) ?? numberOf(object.errorCode);
  for (const member of [...MEMBERS, 'errors']) {
    if (object[member] === undefined || object[member] === null) continue;
    const { code, message } = refusalIn(object[member], depth + 1);
    if (message !== '') return { code: code ?? own, message: withData(message, object.data) };
  }
  return { code: own, message: '' };
}

/** From the body of an answer with an error status. `ofCalls`: it holds answers to calls, each with its id. */
export function readBody(text: string): SaidRefusal & { readonly ofCalls: boolean } {
  const start = text.trimStart()[0];
  if (start === '{' || start === '[') {
    try {
      const value = JSON.parse(text) as unknown;
      const items = Array.isArray(value) ? value : [value];
      const ofCalls = items.length > 0 && items.every((item) => hasId(item));
      return { ...refusalIn(value), ofCalls };
    } catch {
      // Cut off, or no JSON after all: its words count.
    }
  }
  const words = text
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return { code: null, message: words.slice(0, MOST_CHARACTERS), ofCalls: false };
}

const hasId = (item: unknown): boolean =>
  typeof item === 'object' &&
  item !== null &&
  (item as { id?: unknown }).id !== undefined &&
  (item as { id: unknown }).id !== null;

/** Some nodes have the sentence that says more in the data of the error. */
const withData = (message: string, data: unknown): string =>
  typeof data === 'string' && data !== message && !/^0x/i.test(data)
    ? `${message}: ${data.slice(0, MOST_CHARACTERS)}`
    : message;

const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};
