import type { Hex } from '#libs/core/ids.js';

/**
 * EVM code that makes a sequence of calls and reports on each. It is put in the sender's place for one eth_call, so that
 * every contract sees the sender itself as msg.sender and tx.origin. Called by anybody but its caller (a router that pays out
 * the native coin) it does nothing and stops within any stipend.
 *
 * Memory: word 0 points at the next report, word 1 keeps the gas before a call, reports start at 0x40. A report is
 * success, gas, length, data (padded to words); a balance is reported as a call that returned one word.
 */
interface BundledCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
  /** It must change nothing: a call that writes fails. */
  readonly reads?: boolean;
}

/** A call, or a read of an address's native balance. */
export type BundleStep = BundledCall | { readonly balanceOf: Hex };

export interface BundleOptions {
  /** Gas that a single call may burn. */
  readonly stepGas: number;
  /** Who may start it; the address itself when absent. */
  readonly caller?: Hex;
  /** It ends by reverting with its reports, so that nothing of it stays. */
  readonly reverts?: boolean;
}

export interface StepReport {
  ok: boolean;
  gas: bigint;
  data: Hex;
}

const REPORTS = 0x40;

const push1 = (value: number): string => `60${byte(value)}`;
const push2 = (value: number): string => `61${value.toString(16).padStart(4, '0')}`;
const push4 = (value: number): string => `63${value.toString(16).padStart(8, '0')}`;
const byte = (value: number): string => value.toString(16).padStart(2, '0');
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
/** Puts pointer + offset on the stack. */
const at = (offset: number): string => `${push1(0)}51${offset === 0 ? '' : `${push1(offset)}01`}`;
/** Writes what is on top of the stack there. */
const store = (offset: number): string => `${at(offset)}52`;

export function bundleCode(steps: readonly BundleStep[], options: BundleOptions): Hex {
  const data = steps.map((step) => ('to' in step ? step.data : ''));
  // The data is behind the code, whose length does not depend on where the data is.
  const offsets = (start: number): number[] => {
    let next = start;
    return data.map((bytes) => {
      const mine = next;
      next += bytes.length / 2;
      return mine;
    });
  };
  const length = assemble(steps, offsets(0), options).length / 2;
  return assemble(steps, offsets(length), options) + data.join('');
}

function assemble(
  steps: readonly BundleStep[],
  offsets: readonly number[],
  { stepGas, caller, reverts = false }: BundleOptions,
): Hex {
  // CALLER, ADDRESS or PUSH20 of the caller, EQ PUSH1 JUMPI STOP JUMPDEST; the pointer starts at the first report.
  const allowed = caller === undefined ? '30' : `73${caller}`;
  const prologue = `33${allowed}14${push1(6 + allowed.length / 2)}5700${'5b'}${push1(REPORTS)}${push1(0)}52`;
  const body = steps.map((step, n) =>
    'to' in step ? callCode(step, offsets[n]!, stepGas) : balanceCode(step.balanceOf),
  );
  // RETURN, or REVERT with, everything from the first report to the pointer.
  return `${prologue}${body.join('')}${push1(REPORTS)}${at(0)}03${push1(REPORTS)}${reverts ? 'fd' : 'f3'}`;
}

function callCode(step: BundledCall, offset: number, stepGas: number): string {
  const size = step.data.length / 2;
  const copyIn = `${push2(size)}${push2(offset)}${at(0x60)}39`;
  const before = `5a${push1(0x20)}52`;
  const value = step.reads ? '' : `7f${word(step.value)}`;
  const target = `73${step.to}${push4(stepGas)}${step.reads ? 'fa' : 'f1'}`;
  const call = `${push1(0)}${push1(0)}${push2(size)}${at(0x60)}${value}${target}`;
  const gas = `5a${push1(0x20)}5103${store(0x20)}`;
  const success = store(0);
  const length = `3d${store(0x40)}`;
  const copyOut = `3d${push1(0)}${at(0x60)}3e`;
  // Past the report: 0x60 and the returned bytes, rounded up to words.
  const advance = `3d${push1(31)}01${push1(5)}1c${push1(5)}1b${push1(0x60)}01${push1(0)}5101${push1(0)}52`;
  return copyIn + before + call + gas + success + length + copyOut + advance;
}

function balanceCode(owner: Hex): string {
  const report = `${push1(1)}${store(0)}${push1(0)}${store(0x20)}${push1(0x20)}${store(0x40)}`;
  return `${report}73${owner}31${store(0x60)}${at(0x80)}${push1(0)}52`;
}

/** The reports of `count` steps; null when the data was not written by this code. */
export function readReports(data: Hex, count: number): StepReport[] | null {
  const number = (start: number): number => {
    const digits = data.slice(start, start + 64);
    return digits.length === 64 && /^0{52}/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
  };
  const reports: StepReport[] = [];
  let next = 0;
  for (let n = 0; n < count; n++) {
    const ok = number(next);
    const gas = number(next + 64);
    const length = number(next + 128);
    const bytes = data.slice(next + 192, next + 192 + length * 2);
    if (!(ok === 0 || ok === 1) || !(gas >= 0) || bytes.length !== length * 2) return null;
    reports.push({ ok: ok === 1, gas: BigInt(gas), data: bytes });
    next += 192 + Math.ceil(length / 32) * 64;
  }
  return reports;
}
