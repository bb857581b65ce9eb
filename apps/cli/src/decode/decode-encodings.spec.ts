import { Message, MessageV0, PublicKey, VersionedTransaction } from '@solana/web3.js';
import {
  type Answer,
  keysOf,
  type RawInstruction,
  recorded,
  SYSTEM,
  TOKEN_PROGRAMS,
  toBytes,
  toText,
  trades,
} from '#libs/devkit/testing/solana/recorded-solana.js';
import { type DecodedTrade, decodeDocument } from './decode-document.js';

describe('encodings of a transaction', () => {
  const samples = recorded.filter(
    ({ name, answer }) =>
      /^(jupiter_v6|pump|raydium)/.test(name) && typeof answer.transaction.message.accountKeys[0] === 'string',
  );

  /** The same message as bytes, by the public SDK. */
  function serialized({ transaction, version }: Answer): Uint8Array {
    const { message, signatures } = transaction;
    const staticAccountKeys = (message.accountKeys as string[]).map((key) => new PublicKey(key));
    const body =
      version === 'legacy'
        ? new Message({ ...message, accountKeys: message.accountKeys as string[] })
        : new MessageV0({
            header: message.header,
            staticAccountKeys,
            recentBlockhash: message.recentBlockhash,
            compiledInstructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
              programIdIndex,
              accountKeyIndexes: accounts,
              data: toBytes(data),
            })),
            addressTableLookups: (message.addressTableLookups ?? []).map((lookup) => ({
              writableIndexes: lookup.writableIndexes ?? [],
              readonlyIndexes: lookup.readonlyIndexes ?? [],
              accountKey: new PublicKey(lookup.accountKey),
            })),
          });
    return new VersionedTransaction(
      body,
      signatures.map((signature) => toBytes(signature)),
    ).serialize();
  }

  /** As `jsonParsed` writes it: accounts and programs by name, token transfers described. */
  function described(answer: Answer): unknown {
    const keys = keysOf(answer);
    const signers = answer.transaction.message.header.numRequiredSignatures;
    const describe = (raw: RawInstruction) => {
      const programId = keys[raw.programIdIndex]!;
      const accounts = raw.accounts.map((account) => keys[account]!);
      const data = Buffer.from(toBytes(raw.data));
      const base = { programId, stackHeight: raw.stackHeight ?? null };
      const [source, second, third, authority] = accounts;
      if (TOKEN_PROGRAMS.has(programId) && data[0] === 3) {
        const info = { source, destination: second, authority: third, amount: data.readBigUInt64LE(1).toString() };
        return { ...base, program: 'spl-token', parsed: { type: 'transfer', info } };
      }
      if (TOKEN_PROGRAMS.has(programId) && data[0] === 12) {
        const tokenAmount = { amount: data.readBigUInt64LE(1).toString(), decimals: data[9] };
        const info = { source, mint: second, destination: third, multisigAuthority: authority, tokenAmount };
        return { ...base, program: 'spl-token', parsed: { type: 'transferChecked', info } };
      }
      if (programId === SYSTEM) return { ...base, program: 'system', parsed: { type: 'other', info: {} } };
      return { ...base, accounts, data: raw.data };
    };
    return {
      ...answer,
      meta: {
        ...answer.meta,
        innerInstructions: answer.meta.innerInstructions?.map(({ index, instructions }) => ({
          index,
          instructions: instructions.map(describe),
        })),
      },
      transaction: {
        signatures: answer.transaction.signatures,
        message: {
          accountKeys: keys.map((pubkey, index) => ({
            pubkey,
            signer: index < signers,
            writable: true,
            source: 'transaction',
          })),
          instructions: answer.transaction.message.instructions.map(describe),
        },
      },
    };
  }

  it('json, jsonParsed, base64 and base58 give the same trades, alone, in an envelope, a list or a block', () => {
    expect(samples.length).toBeGreaterThan(60);
    const transactions: Answer[] = [];
    const expected: DecodedTrade[] = [];
    for (const { name, answer } of samples) {
      const wanted = decodeDocument(answer);
      const bytes = serialized(answer);
      for (const [encoding, document] of [
        ['base64', { ...answer, transaction: [Buffer.from(bytes).toString('base64'), 'base64'] }],
        ['base58', { ...answer, transaction: [toText(bytes), 'base58'] }],
        ['jsonParsed', described(answer)],
      ] as const) {
        expect({ name, encoding, ...decodeDocument(document) }).toEqual({ name, encoding, ...wanted });
      }
      transactions.push(answer);
      expected.push(...(wanted.lines as DecodedTrade[]));
    }
    expect(trades(transactions)).toEqual(expected);
    expect(trades({ jsonrpc: '2.0', id: 1, result: { blockhash: 'x', parentSlot: 1, transactions } })).toEqual(
      expected,
    );
  });

  it('give the same trades where the node recorded no depth of calls', () => {
    for (const { name, answer } of samples) {
      const flat = structuredClone(answer);
      for (const group of flat.meta.innerInstructions ?? [])
        for (const call of group.instructions) delete call.stackHeight;
      expect({ name, trades: trades(flat) }).toEqual({ name, trades: trades(answer) });
    }
  });
});
