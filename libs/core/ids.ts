// Room: values and rules that know no chain and no storage: ids, money, errors, cursors, turns of the event loop. May
// import nothing.

/**
 * Identities are family-neutral: the lower-case hex of the raw bytes, without a prefix.
 * An EVM address has 40 digits, a Solana address or a block hash 64, a Solana signature 128.
 * Text forms (0x…, base58) exist only at the edges, through a chain's AddressFormat.
 */
export type Hex = string;

/** How one family of chains writes its addresses and transaction ids for people. */
export interface IdFormat {
  readonly family: 'evm' | 'solana';
  /** Canonical text of an address id. */
  formatAddress(id: Hex): string;
  /** Id of an address in any accepted spelling, or null when it is not an address of this family. */
  parseAddress(text: string): Hex | null;
  /** Id of a pool: an address, or on EVM chains the 32 bytes by which a venue names one inside its contract. */
  parsePool(text: string): Hex | null;
  /** Whether there may be a key for the address: there is none for one that a program derived. */
  mayHaveKey(id: Hex): boolean;
  formatTx(id: Hex): string;
  parseTx(text: string): Hex | null;
  formatBlockHash(id: Hex): string;
}

const HEX = /^[0-9a-f]*$/;

export function isHex(value: string, bytes?: number): boolean {
  return value.length % 2 === 0 && (bytes === undefined || value.length === bytes * 2) && HEX.test(value);
}

/** EVM spelling: 0x-prefixed lower-case hex; any case is accepted on input. */
export const evmIds: IdFormat = {
  family: 'evm',
  formatAddress: (id) => `0x${id}`,
  parseAddress: (text) => (/^0[xX][0-9a-fA-F]{40}$/.test(text) ? text.slice(2).toLowerCase() : null),
  parsePool: (text) => (/^0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(text) ? text.slice(2).toLowerCase() : null),
  mayHaveKey: () => true,
  formatTx: (id) => `0x${id}`,
  parseTx: (text) => (/^0[xX][0-9a-fA-F]{64}$/.test(text) ? text.slice(2).toLowerCase() : null),
  formatBlockHash: (id) => `0x${id}`,
};
