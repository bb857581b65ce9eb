/**
 * A text from a chain, made safe to show: control, bidirectional-override and zero-width characters have no place in a
 * name and can forge another one.
 */
export const cleanText = (text: string): string =>
  text.replace(/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '').trim();
