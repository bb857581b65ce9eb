import { u32 } from '#programs/client.js';

/** A text as Anchor's programs read it: its length in bytes, then UTF-8. */
export const borshText = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u32(bytes.length), bytes]);
};
