import type { Hex } from '#libs/core/ids.js';
import type { Answer } from '#libs/http/answer.js';
import { mediaAnswer } from './media-answers.js';
import { isSeed, placeholder, seedOf } from './placeholder.js';

const PLACEHOLDER = 'placeholder-';

/** What `/media` serves, by name. */
export class MediaFiles {
  /** `publicUrl`: where clients reach the api; without it a redirect stays on the listener that was asked. */
  constructor(private readonly publicUrl: string | null) {}

  async answer(name: string): Promise<Answer | null> {
    const [base, extension, ...rest] = name.split('.') as [string, string?, ...string[]];
    if (extension !== 'png' || rest.length > 0 || !base.startsWith(PLACEHOLDER)) return null;
    const seed = base.slice(PLACEHOLDER.length);
    return isSeed(seed) ? mediaAnswer(placeholder(seed), 'image/png', base) : null;
  }

  placeholderOf(chain: string, token: Hex): string {
    return this.addressOf(`${PLACEHOLDER}${seedOf(chain, token)}.png`);
  }

  addressOf(name: string): string {
    return `${this.publicUrl?.replace(/\/$/, '') ?? ''}/media/${name}`;
  }
}
