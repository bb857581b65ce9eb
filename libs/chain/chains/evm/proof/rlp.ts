/** Recursive length prefix, encoding only: byte strings and lists of them. */
export type RlpItem = Uint8Array | readonly RlpItem[];

export function encodeRlp(item: RlpItem): Uint8Array {
  const out = new Uint8Array(sizeOf(item));
  write(item, out, 0);
  return out;
}

function payloadSize(item: RlpItem): number {
  if (item instanceof Uint8Array) return item.length;
  let size = 0;
  for (const child of item) size += sizeOf(child);
  return size;
}

function isSingle(item: RlpItem): item is Uint8Array {
  return item instanceof Uint8Array && item.length === 1 && item[0]! < 0x80;
}

function sizeOf(item: RlpItem): number {
  if (isSingle(item)) return 1;
  const payload = payloadSize(item);
  return payload + (payload < 56 ? 1 : 1 + lengthBytes(payload));
}

function lengthBytes(length: number): number {
  return length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4;
}

function write(item: RlpItem, out: Uint8Array, at: number): number {
  if (isSingle(item)) {
    out[at] = item[0]!;
    return at + 1;
  }
  const payload = payloadSize(item);
  const base = item instanceof Uint8Array ? 0x80 : 0xc0;
  let position = at;
  if (payload < 56) {
    out[position++] = base + payload;
  } else {
    const bytes = lengthBytes(payload);
    out[position++] = base + 55 + bytes;
    for (let shift = bytes - 1; shift >= 0; shift--) out[position++] = (payload / 2 ** (8 * shift)) & 0xff;
  }
  if (item instanceof Uint8Array) {
    out.set(item, position);
    return position + item.length;
  }
  for (const child of item) position = write(child, out, position);
  return position;
}

export function rlpBytes(prefixed: string): Uint8Array {
  return Buffer.from(prefixed.slice(2), 'hex');
}

/** An integer without leading zeros; zero is the empty string. */
export function rlpQuantity(prefixed: string): Uint8Array {
  const digits = prefixed.slice(2).replace(/^0+/, '');
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
