// Links one relocatable BPF object of clang into an executable for Solana's virtual machine, version 3: strict ELF, read-only
// data at 0, code at 1 << 32, system calls by the hash of their name.
// Invariant: the output is a function of the input bytes alone, and everything that would only fail on chain (writable data,
// unknown system calls, frames beyond their size) fails here.
const SYSTEM_CALLS = new Set(
  `sol_log_data sol_memcpy_ sol_memmove_ sol_memset_ sol_memcmp_ sol_create_program_address sol_try_find_program_address
sol_invoke_signed_c sol_set_return_data sol_get_return_data sol_get_clock_sysvar sol_get_rent_sysvar`.split(/\s+/),
);
const CODE_BASE = 1n << 32n;
const FRAME_BYTES = 4096;
const BPF_MACHINE = 247;
const [SYMTAB, RELA, REL] = [2, 4, 9];
const [ALLOCATED, EXECUTABLE] = [2, 4];
const [CALL, LOAD_64] = [0x85, 0x18];

/** MurmurHash3 with 32 bits and seed 0: the number of a system call. */
export function murmur3(text) {
  const bytes = Buffer.from(text);
  const rotate = (x, by) => (x << by) | (x >>> (32 - by));
  const mix = (k) => Math.imul(rotate(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);
  let hash = 0;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = (Math.imul(rotate(hash ^ mix(bytes.readUInt32LE(at)), 13), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= at; i--) tail = (tail << 8) | bytes[i];
  if (at < bytes.length) hash ^= mix(tail);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function text(bytes, from) {
  return bytes.toString('latin1', from, bytes.indexOf(0, from));
}

function readObject(bytes) {
  if (bytes.readUInt32BE(0) !== 0x7f454c46 || bytes.readUInt16LE(16) !== 1 || bytes.readUInt16LE(18) !== BPF_MACHINE) {
    throw new Error('link: not a relocatable object for BPF');
  }
  const table = Number(bytes.readBigUInt64LE(40));
  const sections = Array.from({ length: bytes.readUInt16LE(60) }, (_, index) => {
    const at = table + 64 * index;
    const word = (offset) => Number(bytes.readBigUInt64LE(at + offset));
    return {
      index,
      nameAt: bytes.readUInt32LE(at),
      type: bytes.readUInt32LE(at + 4),
      flags: word(8),
      offset: word(24),
      size: word(32),
      link: bytes.readUInt32LE(at + 40),
      info: bytes.readUInt32LE(at + 44),
      align: Math.max(1, word(48)),
    };
  });
  const names = sections[bytes.readUInt16LE(62)].offset;
  for (const section of sections) section.name = text(bytes, names + section.nameAt);
  const symtab = sections.find((section) => section.type === SYMTAB);
  const strings = sections[symtab.link].offset;
  const symbols = [];
  for (let at = symtab.offset; at < symtab.offset + symtab.size; at += 24) {
    symbols.push({
      name: text(bytes, strings + bytes.readUInt32LE(at)),
      isSection: (bytes[at + 4] & 15) === 3,
      section: bytes.readUInt16LE(at + 6),
      value: Number(bytes.readBigUInt64LE(at + 8)),
    });
  }
  return { sections, symbols };
}

/** The place of each section of the object in the code or in the read-only data. */
function place(bytes, sections) {
  const parts = { code: [], data: [] };
  const size = { code: 0, data: 0 };
  const places = new Map();
  for (const section of sections) {
    if (!(section.flags & ALLOCATED) || section.size === 0 || /^\.(eh_frame|BTF|llvm)/.test(section.name)) continue;
    const kind = section.flags & EXECUTABLE ? 'code' : 'data';
    if (kind === 'data' && !/^\.(rodata|data\.rel\.ro)/.test(section.name)) {
      throw new Error(`link: section ${section.name}: a program has no writable data`);
    }
    const gap = (section.align - (size[kind] % section.align)) % section.align;
    places.set(section.index, { kind, at: size[kind] + gap });
    parts[kind].push(Buffer.alloc(gap), bytes.subarray(section.offset, section.offset + section.size));
    size[kind] += gap + section.size;
  }
  parts.data.push(Buffer.alloc((8 - (size.data % 8)) % 8));
  return { code: Buffer.concat(parts.code), data: Buffer.concat(parts.data), places };
}

function relocate(bytes, { sections, symbols }, { code, data, places }) {
  const found = (symbol) => {
    const target = places.get(symbol.section);
    if (!target) throw new Error(`link: symbol ${symbol.name} has no section`);
    return target;
  };
  const address = (symbol) => {
    const target = found(symbol);
    return BigInt(symbol.value + target.at) + (target.kind === 'code' ? CODE_BASE : 0n);
  };
  const call = (buffer, at, symbol) => {
    if (buffer[at] !== CALL) throw new Error('link: relocation of a call at something else');
    if (symbol.section === 0) {
      if (!SYSTEM_CALLS.has(symbol.name)) throw new Error(`link: ${symbol.name} is no system call`);
      buffer[at + 1] &= 0x0f;
      buffer.writeUInt32LE(murmur3(symbol.name), at + 4);
      return;
    }
    const within = symbol.isSection ? buffer.readInt32LE(at + 4) + 1 : 0;
    const target = (found(symbol).at + symbol.value) / 8 + within;
    buffer[at + 1] = (buffer[at + 1] & 0x0f) | 0x10;
    buffer.writeInt32LE(target - at / 8 - 1, at + 4);
  };
  for (const section of sections) {
    const target = places.get(section.info);
    if (!target || (section.type !== REL && section.type !== RELA)) continue;
    if (section.type === RELA) throw new Error('link: relocations with addends are not expected');
    const buffer = target.kind === 'code' ? code : data;
    for (let entry = section.offset; entry < section.offset + section.size; entry += 16) {
      const at = target.at + Number(bytes.readBigUInt64LE(entry));
      const type = bytes.readUInt32LE(entry + 8);
      const symbol = symbols[bytes.readUInt32LE(entry + 12)];
      if (type === 1) {
        const added = BigInt(buffer.readUInt32LE(at + 4)) | (BigInt(buffer.readUInt32LE(at + 12)) << 32n);
        const value = added + address(symbol);
        buffer.writeUInt32LE(Number(value & 0xffffffffn), at + 4);
        buffer.writeUInt32LE(Number(value >> 32n), at + 12);
      } else if (type === 2) {
        buffer.writeBigUInt64LE(buffer.readBigUInt64LE(at) + address(symbol), at);
      } else if (type === 10) call(buffer, at, symbol);
      else throw new Error(`link: relocation type ${type}`);
    }
  }
}

/** Calls inside one section come resolved from the compiler; each must name its kind, and no frame may be exceeded. */
function checkCode(code) {
  for (let at = 0; at < code.length; at += 8) {
    const [operation, registers] = [code[at], code[at + 1]];
    const kind = operation & 7;
    const base = kind === 1 ? registers >> 4 : registers & 15;
    if (kind >= 1 && kind <= 3 && base === 10 && code.readInt16LE(at + 2) < -FRAME_BYTES) {
      throw new Error(`link: frame beyond ${FRAME_BYTES} bytes at instruction ${at / 8}`);
    }
    if (operation === LOAD_64) at += 8;
  }
}

export function link(object) {
  const bytes = Buffer.from(object);
  const parsed = readObject(bytes);
  const placed = place(bytes, parsed.sections);
  relocate(bytes, parsed, placed);
  checkCode(placed.code);
  const entry = parsed.symbols.find((symbol) => symbol.name === 'entrypoint' && symbol.section !== 0);
  if (!entry) throw new Error('link: no entrypoint');
  const { code, data, places } = placed;
  const segments = [...(data.length ? [[4, 0n, data]] : []), [1, CODE_BASE, code]];
  const header = Buffer.alloc(64 + 56 * segments.length);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]).copy(header);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(BPF_MACHINE, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(CODE_BASE + BigInt(places.get(entry.section).at + entry.value), 24);
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt32LE(3, 48);
  for (const [at, value] of [
    [52, 64],
    [54, 56],
    [56, segments.length],
    [58, 64],
  ]) {
    header.writeUInt16LE(value, at);
  }
  let offset = header.length;
  segments.forEach(([flags, address, content], index) => {
    const at = 64 + 56 * index;
    header.writeUInt32LE(1, at);
    header.writeUInt32LE(flags, at + 4);
    header.writeBigUInt64LE(BigInt(offset), at + 8);
    header.writeBigUInt64LE(address, at + 16);
    header.writeBigUInt64LE(address, at + 24);
    header.writeBigUInt64LE(BigInt(content.length), at + 32);
    header.writeBigUInt64LE(BigInt(content.length), at + 40);
    header.writeBigUInt64LE(8n, at + 48);
    offset += content.length;
  });
  return Buffer.concat([header, data, code]);
}
