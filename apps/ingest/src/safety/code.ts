import type { Hex } from '#libs/core/ids.js';

/** What the code of a contract says without being run. */
export interface ReadCode {
  /** Selectors that the dispatcher compares call data with; null where it is not of a known form. */
  readonly selectors: ReadonlySet<Hex> | null;
  /** Constants that look like addresses: immutables among them. */
  readonly addresses: readonly Hex[];
  /** Whether code of another contract may run on its storage. */
  readonly delegates: boolean;
}

const EQ = 0x14;
const SUB = 0x03;
const XOR = 0x18;
const JUMPI = 0x57;
const DELEGATECALL = 0xf4;
const CALLCODE = 0xf2;
const TRANSFER = 'a9059cbb';

interface Instruction {
  readonly op: number;
  readonly argument: Hex;
}

function* instructions(code: Hex): Generator<Instruction> {
  for (let at = 0; at < code.length; ) {
    const op = Number.parseInt(code.slice(at, at + 2), 16);
    const size = op >= 0x60 && op <= 0x7f ? op - 0x5f : 0;
    yield { op, argument: code.slice(at + 2, at + 2 + 2 * size) };
    at += 2 + 2 * size;
  }
}

const isPush = ({ op }: Instruction): boolean => op >= 0x60 && op <= 0x7f;

/** A comparison with a constant of at most four bytes that decides a jump; compilers put a DUP between at most. */
function isDispatch(list: readonly Instruction[], n: number): boolean {
  const size = list[n]!.argument.length / 2;
  if (size < 3 || size > 4) return false;
  for (let k = n + 1; k <= n + 2; k++) {
    const op = list[k]?.op ?? 0;
    if (op === EQ || op === SUB || op === XOR) {
      const next = list[k + 1];
      return next !== undefined && isPush(next) && list[k + 2]?.op === JUMPI;
    }
    if (op < 0x80 || op > 0x8f) return false;
  }
  return false;
}

export function readCode(code: Hex): ReadCode {
  const list = [...instructions(code)];
  const selectors = new Set<Hex>();
  const addresses = new Set<Hex>();
  let delegates = false;
  for (const [n, { op, argument }] of list.entries()) {
    if (op === DELEGATECALL || op === CALLCODE) delegates = true;
    if (isPush(list[n]!) && isDispatch(list, n)) selectors.add(argument.padStart(8, '0'));
    const address = addressIn(argument);
    if (address !== null) addresses.add(address);
  }
  return { selectors: selectors.has(TRANSFER) ? selectors : null, addresses: [...addresses], delegates };
}

/** Of a constant of 20 bytes, or of 32 with twelve zeros first; masks and small numbers are none. */
function addressIn(argument: Hex): Hex | null {
  const digits = argument.length === 64 && argument.startsWith('0'.repeat(24)) ? argument.slice(24) : argument;
  if (digits.length !== 40 || /^0{8}|^f{8}|0{16}$/.test(digits)) return null;
  return digits;
}

const MINIMAL = [
  /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/,
  /^3d3d3d3d363d3d37363d73([0-9a-f]{40})5af43d3d93803e602a57fd5bf3/,
  /^365f5f375f5f365f73([0-9a-f]{40})5af43d5f5f3e5f3d91602a57fd5bf3/,
  /^36600080376020600[0-9a-f]*73([0-9a-f]{40})5af4/,
];

/** The contract that a minimal proxy (ERC-1167 and its like) always runs. */
export function minimalTarget(code: Hex): Hex | null {
  for (const form of MINIMAL) {
    const found = form.exec(code)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/** Storage slots in which proxies keep what they run: ERC-1967, its beacon, ERC-1822, and those of the first ones. */
export const PROXY_SLOTS = {
  implementation: '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  beacon: 'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  proxiable: 'c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  zeppelin: '7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
} as const;
