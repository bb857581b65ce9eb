import { TidepoolError } from '#libs/core/errors.js';

const RESULT = /"result"\s*:\s*"0x/;
/** The answer names its result within so many characters. */
const LONGEST_HEAD = 4_096;
const QUOTE = '"'.charCodeAt(0);

/**
 * The bytes of a JSON-RPC answer whose result is one long hex text, piece by piece as they come: the text is never in memory as a whole.
 * An answer that is an error, or that ends within its result, throws.
 */
export async function* hexResult(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head = '';
  let inResult = false;
  let half = '';
  let ended = false;
  for await (let piece of body) {
    // The rest is read too: a body that is left in the middle costs its connection.
    if (ended) continue;
    if (!inResult) {
      head += piece.toString('latin1');
      const found = RESULT.exec(head);
      if (found === null) {
        if (head.length > LONGEST_HEAD) break;
        continue;
      }
      inResult = true;
      piece = Buffer.from(head.slice(found.index + found[0].length), 'latin1');
    }
    const end = piece.indexOf(QUOTE);
    const text = half + piece.toString('latin1', 0, end < 0 ? piece.length : end);
    half = text.length % 2 === 0 ? '' : text.slice(-1);
    const bytes = Buffer.from(half === '' ? text : text.slice(0, -1), 'hex');
    if (bytes.length !== text.length >> 1) throw refused('its result is not hex');
    if (bytes.length > 0) yield bytes;
    if (end < 0) continue;
    if (half !== '') throw refused('its result has half a byte');
    ended = true;
  }
  if (!ended) throw refused(inResult ? 'its result is cut short' : head.slice(0, 200));
}

const refused = (reason: string): TidepoolError => new TidepoolError('anvil_refused', `the node answered: ${reason}`);
