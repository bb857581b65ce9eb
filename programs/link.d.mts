export function murmur3(text: string): number;
export function link(object: Uint8Array): Buffer;
