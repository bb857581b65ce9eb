import { createRequire } from 'node:module';
import { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { readRecorded, recordedTransactions } from '#libs/devkit/testing/solana/recorded.js';
import { DBC_SWAP, DBC_SWAP_2, meteoraDbc } from './decode.js';

const require = createRequire(import.meta.url);
const sdk = require('@meteora-ag/dynamic-bonding-curve-sdk');
const idl = sdk.DynamicBondingCurveIdl;

const discriminatorOf = (list: { name: string; discriminator: number[] }[], name: string): Buffer =>
  Buffer.from(list.find((each) => each.name === name)!.discriminator);
const CPI_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');
const key = (byte: number): Buffer => Buffer.alloc(32, byte);
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

/** A transaction of one instruction of the program, with the events that it emits. */
function transaction(data: Uint8Array, accounts: string[], events: Buffer[]): SolanaTransaction {
  const keys = [...new Set([...accounts, meteoraDbc.program, 'authority'])];
  const calls = events.map(
    (event, inner) => new SolanaInstruction(meteoraDbc.program, [keys.indexOf('authority')], event, 0, inner, 2),
  );
  const places = accounts.map((account) => keys.indexOf(account));
  const main = new SolanaInstruction(meteoraDbc.program, places, data, 0, -1, 1);
  return new SolanaTransaction('', 1, false, keys, 1, [main, ...calls], 0n, [], [], [], [], []);
}

const event = (name: string, ...fields: Buffer[]): Buffer =>
  Buffer.concat([CPI_TAG, discriminatorOf(idl.events, name), ...fields]);
/** Accounts of an instruction by the names of the interface description. */
const accountsOf = (name: string): string[] =>
  idl.instructions
    .find((each: { name: string }) => each.name === name)
    .accounts.map(({ name: label }: { name: string }) => label);
const dataOf = (name: string): Buffer => discriminatorOf(idl.instructions, name);

function swapEvent(name: string, raised: bigint, threshold: bigint): Buffer {
  const head = [key(1), key(2), Buffer.from([1, 0]), u64(90n), u64(0n), Buffer.from([0])];
  const result = [u64(90n), u64(88n), u64(0n), u64(7n), u64(5n), u64(1n), u64(1n), u64(1n), u64(0n)];
  return event(name, ...head, ...result, u64(raised), u64(threshold), u64(0n));
}

const swapped = (...events: Buffer[]) =>
  meteoraDbc.launches(transaction(dataOf('swap2'), accountsOf('swap2'), events), 0);

describe('what swaps on the bonding curve state', () => {
  const [recorded] = recordedTransactions('meteora-sales.json.gz').filter(({ name }) => /DBC/.test(name));
  const tx = readRecorded(recorded!.answer);
  const index = tx.instructions.findIndex((_, at) => meteoraDbc.legs(tx, at).length > 0);
  const [leg] = meteoraDbc.legs(tx, index);

  it('is the price of the event and the vaults that the recorded sale moved', () => {
    const { data } = emittedEvent(tx, index, [DBC_SWAP])!;
    const sqrtPrice = DBC_SWAP.u64(data, 'next_sqrt_price')!;
    const { spot, vaults, reserves } = leg!.stated!;
    expect(reserves).toBeUndefined();
    // A sale: quote tokens for one base token.
    expect(spot).toEqual({ numerator: sqrtPrice * sqrtPrice, denominator: 2n ** 128n });
    const got = Number(leg!.outputAmount) / Number(leg!.inputAmount);
    // The sale itself lowered the price: what it got is between the price before and the one after.
    const after = Number(spot!.numerator) / Number(spot!.denominator);
    expect(got / after).toBeGreaterThan(0.95);
    expect(got / after).toBeLessThan(3);
    const instruction = tx.instructions[index]!;
    expect(vaults).toEqual([tx.accountKey(instruction, 5), tx.accountKey(instruction, 6)]);
    const called = tx.instructions.slice(index + 1, tx.callsEnd(index));
    const touched = called.flatMap((call) => call.accounts.map((_, nth) => tx.accountKey(call, nth)));
    for (const vault of vaults!) expect(touched).toContain(vault);
  });

  it('is progress where the event states the reserve and what the migration takes', () => {
    const second = emittedEvent(tx, index, [DBC_SWAP_2]);
    const launches = meteoraDbc.launches(tx, index);
    if (second === null) expect(launches).toEqual([]);
    else {
      const raised = DBC_SWAP_2.u64(second.data, 'quote_reserve_amount')!;
      const threshold = DBC_SWAP_2.u64(second.data, 'migration_threshold')!;
      const progressPpm = Number((raised * 1_000_000n) / threshold);
      expect(launches).toEqual([{ step: 'progress', token: leg!.inputMint, curve: leg!.pool, progressPpm }]);
      expect(progressPpm).toBeLessThanOrEqual(1_000_000);
    }
  });
});

describe('launches on the bonding curve', () => {
  it('begin with the event of the pool, for every kind of token', () => {
    for (const [name, instruction] of [
      ['EvtInitializePool', 'initialize_virtual_pool_with_spl_token'],
      ['EvtInitializePool', 'initialize_virtual_pool_with_token2022'],
      ['EvtInitializePoolWithTransferHook', 'initialize_virtual_pool_with_token2022_transfer_hook'],
    ] as const) {
      const created = event(name, key(1), key(2), key(3), key(4), Buffer.from([0]), u64(9n));
      const [launch] = meteoraDbc.launches(transaction(dataOf(instruction), accountsOf(instruction), [created]), 0);
      const { step, ...of } = launch as { step: string; token: string; curve: string; creator: string };
      expect(step).toBe('created');
      const text = (byte: number) => encodeBase58(key(byte));
      expect(of).toEqual({ token: text(4), curve: text(1), creator: text(3) });
      expect(
        meteoraDbc.launches(transaction(dataOf(instruction), accountsOf(instruction), [created.subarray(0, 60)]), 0),
      ).toEqual([]);
    }
  });

  it('go on with every swap that states how much was raised, up to the whole', () => {
    const progress = (raised: bigint, threshold: bigint, name = 'EvtSwap2') =>
      swapped(swapEvent(name, raised, threshold)).map((launch) => (launch as { progressPpm: number }).progressPpm);
    expect(progress(0n, 7n)).toEqual([0]);
    expect(progress(1n, 3n)).toEqual([333_333]);
    expect(progress(85n, 85n)).toEqual([1_000_000]);
    expect(progress(2n ** 63n, 85n, 'EvtSwap2WithTransferHook')).toEqual([1_000_000]);
    expect(progress(5n, 0n)).toEqual([]);
    expect(swapped(swapEvent('EvtSwap2', 1n, 3n).subarray(0, -24))).toEqual([]);
    expect(swapped()).toEqual([]);
  });

  it('graduate with the swap that completes the curve, then with the migration that names the pool', () => {
    for (const name of ['EvtCurveComplete', 'EvtCurveCompleteWithTransferHook']) {
      const launches = swapped(swapEvent('EvtSwap2', 85n, 85n), event(name, key(1), key(2), u64(1n), u64(85n)));
      expect(launches.map(({ step }) => step)).toEqual(['progress', 'graduated']);
      expect(launches[1]).toMatchObject({ token: 'base_mint', pool: '' });
    }
    for (const [name, token] of [
      ['migrate_meteora_damm', 'token_a_mint'],
      ['migration_damm_v2', 'base_mint'],
    ] as const) {
      expect(meteoraDbc.launches(transaction(dataOf(name), accountsOf(name), []), 0)).toEqual([
        { step: 'graduated', token, curve: 'virtual_pool', pool: 'pool' },
      ]);
      expect(meteoraDbc.launches(transaction(dataOf(name), [], []), 0)).toEqual([]);
    }
  });

  it('are none for other instructions, whatever their bytes', () => {
    for (let length = 0; length < 40; length++) {
      expect(meteoraDbc.launches(transaction(Buffer.alloc(length, length), [], []), 0)).toEqual([]);
    }
    for (const { name } of idl.instructions) {
      if (/^(swap|migrate_meteora_damm$|migration_damm_v2$)/.test(name)) continue;
      expect({ name, launches: meteoraDbc.launches(transaction(dataOf(name), accountsOf(name), []), 0) }).toEqual({
        name,
        launches: [],
      });
    }
  });
});
