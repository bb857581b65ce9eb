import type { Hex } from '#libs/core/ids.js';
import type { Answer } from '#libs/serve/http/answer.js';
import type { TokenAbout } from '#libs/serve/reader/token-about.js';
import type { Pictures } from '../access/api-parts.js';
import { currentMediaAnswer, mediaAnswer } from './media-answers.js';
import { isSeed, placeholder, seedOf } from './placeholder.js';

const PLACEHOLDER = 'placeholder-';
/** How long the picture of a token may be kept under an address that stays. One that has none yet may get it in a moment. */
const PICTURE_SECONDS = 300;
const PATTERN_SECONDS = 10;

/** What `/media` serves: pictures of tokens by name, and patterns for tokens without one. */
export class MediaFiles {
  /** `publicUrl`: where clients reach the api; without it a redirect stays on the listener that was asked. */
  constructor(
    private readonly publicUrl: string | null,
    private readonly pictures: Pictures | null,
  ) {}

  async answer(name: string): Promise<Answer | null> {
    const [base, extension, ...rest] = name.split('.') as [string, string?, ...string[]];
    if (rest.length > 0) return null;
    if (extension === 'png' && base.startsWith(PLACEHOLDER)) {
      const seed = base.slice(PLACEHOLDER.length);
      return isSeed(seed) ? mediaAnswer(placeholder(seed), 'image/png', base) : null;
    }
    const content = await this.pictureOf(name);
    return content && mediaAnswer(content, 'image/webp', base);
  }

  /** The picture that a token has now, or its pattern. */
  async ofToken(chain: string, token: Hex, { picture }: TokenAbout): Promise<Answer> {
    const content = picture === null ? null : await this.pictureOf(picture);
    if (content !== null) return currentMediaAnswer(content, 'image/webp', picture!, PICTURE_SECONDS);
    const seed = seedOf(chain, token);
    return currentMediaAnswer(placeholder(seed), 'image/png', PLACEHOLDER + seed, PATTERN_SECONDS);
  }

  /** Where the picture of a token is, or its pattern. */
  addressOf(chain: string, token: Hex, { picture }: TokenAbout): string {
    const name = picture ?? `${PLACEHOLDER}${seedOf(chain, token)}.png`;
    return `${this.publicUrl?.replace(/\/$/, '') ?? ''}/media/${name}`;
  }

  private pictureOf(name: string): Promise<Buffer | null> {
    return this.pictures?.knows(name) === true ? this.pictures.read(name) : Promise.resolve(null);
  }
}
