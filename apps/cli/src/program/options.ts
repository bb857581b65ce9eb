import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { VENUE_KINDS, type VenueKind } from '#programs/swap-client.js';
import type { OptionSpec, ParsedArguments } from '../arguments.js';

/** Options of the program commands and the values they take. */
export const url: OptionSpec = {
  name: 'url',
  value: 'URL',
  about: 'RPC node (http or https); the local chain of the running instance without it',
};
export const program: OptionSpec = { name: 'program', value: 'ADDRESS', about: 'address of the swap program' };
export const json: OptionSpec = { name: 'json', about: 'the whole answer as JSON' };
export const file: OptionSpec = { name: 'file', value: 'FILE', about: 'an executable other than the one shipped' };
export const yes: OptionSpec = { name: 'yes', about: 'do not ask, whatever the cluster' };
export const feeOwner: OptionSpec = {
  name: 'fee-owner',
  value: 'ADDRESS',
  about: 'owner that fee accounts must have; "any" accepts all',
};
export const maxFeeBps: OptionSpec = {
  name: 'max-fee-bps',
  value: 'N',
  about: 'highest fee of a route in hundredths of a percent, 0 to 1000',
};

/** For what sends transactions. */
export const sending: readonly OptionSpec[] = [
  url,
  { name: 'keypair', value: 'FILE', about: 'key that signs and pays, as solana-keygen writes it' },
  { name: 'priority-fee', value: 'N', about: 'micro-lamports a compute unit, for a busy cluster' },
  { name: 'dry-run', about: 'print the unsigned transactions as JSON lines and send nothing' },
  { name: 'signer', value: 'ADDRESS', about: 'with --dry-run instead of --keypair: who will sign' },
];
export const changing: readonly OptionSpec[] = [program, ...sending];

export type Options = ParsedArguments['options'];

const wrong = (name: string, rule: string): never => {
  throw new TidepoolError('usage', `${name} must be ${rule}`);
};

export function text(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function address(name: string, value: string): Hex {
  return solanaIds.parseAddress(value) ?? wrong(name, 'a Solana address (base58 of 32 bytes)');
}

export function requiredAddress(options: Options, name: string): Hex {
  const value = text(options, name);
  return value === undefined ? wrong(`--${name}`, 'given: an address') : address(`--${name}`, value);
}

export function whole(options: Options, name: string, most: bigint): bigint | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const fits = /^\d{1,20}$/.test(value) && BigInt(value) <= most;
  return fits ? BigInt(value) : wrong(`--${name}`, `a whole number from 0 to ${most}`);
}

/** Undefined when not given, null for any owner. */
export function owner(options: Options): Hex | null | undefined {
  const value = text(options, feeOwner.name);
  if (value === undefined) return undefined;
  return value === 'any' ? null : address(`--${feeOwner.name}`, value);
}

export const highestFee = (options: Options): number | undefined => {
  const value = whole(options, maxFeeBps.name, 1000n);
  return value === undefined ? undefined : Number(value);
};

export const kindsText = `${VENUE_KINDS.slice(0, -1).join(', ')} or ${VENUE_KINDS.at(-1)}`;

export function kind(options: Options): VenueKind | undefined {
  const value = text(options, 'kind');
  if (value === undefined) return undefined;
  return VENUE_KINDS.find((known) => known === value) ?? wrong('--kind', kindsText);
}

export function live(options: Options): boolean | undefined {
  const value = text(options, 'live');
  if (value === undefined) return undefined;
  return value === 'on' || value === 'off' ? value === 'on' : wrong('--live', 'on or off');
}
