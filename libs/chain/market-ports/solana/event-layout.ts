import { bytesOfHex, startsWith, u32At, wordAt } from '#libs/chain/chains/solana/bytes.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { encodeBase58 } from '#libs/core/base58.js';

/**
 * Layouts of Anchor events: little-endian fields one after the other, behind an 8-byte discriminator. Programs append
 * fields over time, so a payload may end early (fields that are missing are undefined) or late (the rest is ignored);
 * bytes that are no UTF-8 become replacement characters. Nothing here throws.
 */
type FieldType = 'key' | 'u8' | 'bool' | 'u16' | 'i32' | 'u32' | 'u64' | 'i64' | 'u128' | 'string' | `list:${number}`;
export type FieldValue = string | number | bigint | boolean | Uint8Array[];

const SIZES: Partial<Record<FieldType, number>> = {
  key: 32,
  u8: 1,
  bool: 1,
  u16: 2,
  i32: 4,
  u32: 4,
  u64: 8,
  i64: 8,
  u128: 16,
};

interface Field {
  name: string;
  type: FieldType;
  /** Offset from the first field while every field before has a fixed size; -1 after that. */
  at: number;
}

/** `emit_cpi!` calls the program itself with this tag before the event's discriminator. */
const CPI_TAG = bytesOfHex('e445a52e51cb9a1d');

export class EventLayout {
  readonly discriminator: Uint8Array;
  private readonly fields: Field[] = [];
  private readonly byName = new Map<string, Field>();

  /** `fields` is a list of `name:type`, separated by white space. */
  constructor(discriminator: string, fields: string) {
    this.discriminator = bytesOfHex(discriminator);
    let at = 0;
    for (const text of fields.trim().split(/\s+/)) {
      const colon = text.indexOf(':');
      const field = { name: text.slice(0, colon), type: text.slice(colon + 1) as FieldType, at };
      const size = SIZES[field.type];
      at = size === undefined || at < 0 ? -1 : at + size;
      this.fields.push(field);
      this.byName.set(field.name, field);
    }
  }

  /** Offset behind the discriminator of a `Program data:` payload or a self-call; -1 for another event. */
  bodyAt(data: Uint8Array): number {
    if (startsWith(data, 0, CPI_TAG)) return startsWith(data, 8, this.discriminator) ? 16 : -1;
    return startsWith(data, 0, this.discriminator) ? 8 : -1;
  }

  /** Every field that the payload holds, by name; null for another event. */
  read(data: Uint8Array): Record<string, FieldValue | undefined> | null {
    let at = this.bodyAt(data);
    if (at < 0) return null;
    const values: Record<string, FieldValue | undefined> = {};
    for (const { name, type } of this.fields) {
      const end = fieldEnd(data, at, type);
      if (end < 0) break;
      values[name] = fieldValue(data, at, end, type);
      at = end;
    }
    return values;
  }

  /** One field of a payload of this event; undefined where the payload ends before it. */
  field(data: Uint8Array, name: string): FieldValue | undefined {
    const wanted = this.byName.get(name)!;
    let at = this.bodyAt(data);
    if (at < 0) return undefined;
    if (wanted.at >= 0) at += wanted.at;
    else {
      for (const field of this.fields) {
        if (field === wanted) break;
        at = fieldEnd(data, at, field.type);
        if (at < 0) return undefined;
      }
    }
    const end = fieldEnd(data, at, wanted.type);
    return end < 0 ? undefined : fieldValue(data, at, end, wanted.type);
  }

  u64(data: Uint8Array, name: string): bigint | undefined {
    return this.field(data, name) as bigint | undefined;
  }
}

export interface EmittedEvent {
  layout: EventLayout;
  data: Uint8Array;
}

/** The event that an instruction emitted by calling its own program: the first of these layouts among its calls. */
export function emittedEvent(
  tx: SolanaTransaction,
  index: number,
  layouts: readonly EventLayout[],
): EmittedEvent | null {
  return emittedEvents(tx, index, layouts, 1)[0] ?? null;
}

/** Every event of these layouts that an instruction emitted itself, in order; at most `limit`. */
export function emittedEvents(
  tx: SolanaTransaction,
  index: number,
  layouts: readonly EventLayout[],
  limit = Number.POSITIVE_INFINITY,
): readonly EmittedEvent[] {
  const { program, depth } = tx.instructions[index]!;
  let found = NO_EVENTS;
  for (let i = index + 1, end = tx.callsEnd(index); i < end && found.length < limit; i++) {
    const call = tx.instructions[i]!;
    if (call.program !== program || (call.depth > 0 && call.depth !== depth + 1)) continue;
    const { data } = call;
    const layout = layouts.find((each) => each.bodyAt(data) === 16);
    if (layout !== undefined) found = [...found, { layout, data }];
  }
  return found;
}

const NO_EVENTS: readonly EmittedEvent[] = [];

/** Whether an instruction is the self-call that carries an event. */
export const isEventCall = (data: Uint8Array): boolean => startsWith(data, 0, CPI_TAG);

/** End of a field; -1 when the payload ends inside it. */
function fieldEnd(data: Uint8Array, at: number, type: FieldType): number {
  let size = SIZES[type];
  if (size === undefined) {
    if (at + 4 > data.length) return -1;
    const count = u32At(data, at);
    size = 4 + count * (type === 'string' ? 1 : Number(type.slice(5)));
  }
  return at + size > data.length ? -1 : at + size;
}

const utf8 = new TextDecoder();

function fieldValue(data: Uint8Array, at: number, end: number, type: FieldType): FieldValue {
  switch (type) {
    case 'key':
      return encodeBase58(data.subarray(at, end));
    case 'u8':
      return data[at]!;
    case 'bool':
      return data[at] !== 0;
    case 'u16':
      return data[at]! | (data[at + 1]! << 8);
    case 'i32':
      return u32At(data, at) | 0;
    case 'u32':
      return u32At(data, at);
    case 'u64':
      return wordAt(data, at);
    case 'i64':
      return BigInt.asIntN(64, wordAt(data, at));
    case 'u128':
      return wordAt(data, at) | (wordAt(data, at + 8) << 64n);
    case 'string':
      return utf8.decode(data.subarray(at + 4, end));
    default: {
      const size = Number(type.slice(5));
      const items: Uint8Array[] = [];
      for (let place = at + 4; place + size <= end; place += size) items.push(data.slice(place, place + size));
      return items;
    }
  }
}
