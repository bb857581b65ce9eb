import { Answer } from '#libs/serve/http/answer.js';

/** Names under `/media` never change their content. What a file is follows from its name alone: a browser guesses nothing. */
export const mediaAnswer = (body: Buffer, contentType: string, name: string): Answer =>
  new Answer(body, contentType, `"${name}"`, MEDIA_HEADERS);

/** What a token has now, under an address that stays: for `seconds` only, because it may get another picture. */
export const currentMediaAnswer = (body: Buffer, contentType: string, name: string, seconds: number): Answer =>
  new Answer(body, contentType, `"${name}"`, { ...SAFE, 'cache-control': `public, max-age=${seconds}` });

const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};
const MEDIA_HEADERS = { ...SAFE, 'cache-control': 'public, max-age=31536000, immutable' };

/** To a file under `/media`; for some minutes only, because a token may get another picture. */
export const mediaRedirect = (address: string): Answer =>
  new Answer('', 'text/plain; charset=utf-8', null, { location: address, 'cache-control': 'public, max-age=300' }, 302);
