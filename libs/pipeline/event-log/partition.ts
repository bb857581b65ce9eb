/**
 * Key → partition as Kafka's own producers do it (murmur2 of the key's bytes, sign bit dropped), so that both adapters
 * and any outside producer put a key into the same partition. Never change it: order is per key only while it holds.
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return partitions === 1 ? 0 : (murmur2(key) & 0x7fffffff) % partitions;
}

const M = 0x5bd1e995;

export function murmur2(data: Uint8Array): number {
  const length = data.length;
  let h = 0x9747b28c ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    let k = data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16) | (data[i + 3]! << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const rest = length - i;
  if (rest >= 3) h ^= data[i + 2]! << 16;
  if (rest >= 2) h ^= data[i + 1]! << 8;
  if (rest >= 1) h = Math.imul(h ^ data[i]!, M);
  h ^= h >>> 13;
  h = Math.imul(h, M);
  h ^= h >>> 15;
  return h;
}
