import { bigintAsText } from '#libs/core/json-bigint.js';
import type { BlocksGroup } from '../blocks.js';
import type { FactsGroup } from '../facts.js';

/** A group as JSON for people: ids as hex, amounts as decimal strings in their own scale. There is no way back. */
export function toJson(group: BlocksGroup | FactsGroup, indent?: number): string {
  return JSON.stringify(group, bigintAsText, indent);
}
