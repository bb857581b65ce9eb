import type { UnwiredLaunchpad } from '../../ports.js';

/** `createToken(bytes args, bytes signature)`: the signature is of Four.meme's own server, over the terms of the token. */
export const fourMemeUnwired: UnwiredLaunchpad = {
  platform: 'four-meme',
  reason: 'its contract takes only creates that its own server signed',
};
