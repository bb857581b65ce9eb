import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import { asyncApiDocument } from '#libs/serve/contract/documents/asyncapi-document.js';

/** The AsyncAPI 3 document of the live interface, as YAML, made from the declarations of its channels. */
export const liveDocument = (channels: readonly ChannelDeclaration[]): string =>
  asyncApiDocument({
    title: 'Tidepool live',
    description:
      'Subscribe to what the REST routes answer and keep it current: every subscription starts with a snapshot of the state now, then gets what changes. Messages are JSON text of at most 64 KiB, at most 200 subscriptions a socket. Unknown fields are ignored; ignore a type of frame you do not know. Close codes: 1009 a message was too large, 1012 the service restarts, 4401 the key is no longer accepted, 4402 the account has no credits left, 4408 the client read too slowly.',
    channels,
  });
