import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type Answer,
  find,
  instructionsOf,
  keysOf,
  recorded,
  SOL,
  SYSTEM,
  TOKEN_PROGRAMS,
  toBytes,
  trades,
} from '#libs/devkit/testing/solana/recorded-solana.js';
import { decodeDocument } from './decode-document.js';
import { runDecode } from './run-decode.js';

/** Program, label and what makes an instruction of it a swap: the first bytes of its data. */
const VENUES: Record<string, { dex: string; swaps: string[] }> = {
  '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8': { dex: 'Raydium AMM v4', swaps: ['09', '0b', '10', '11'] },
  CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK: {
    dex: 'Raydium CLMM',
    swaps: ['f8c69e91e17587c8', '2b04ed0b1ac91e62'],
  },
  '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P': {
    dex: 'Pump.fun',
    swaps: ['66063d1201daebea', '33e685a4017f83ad', '38fc74089edfcd5f'],
  },
  pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA: { dex: 'PumpSwap', swaps: ['66063d1201daebea', '33e685a4017f83ad'] },
  whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc: {
    dex: 'Orca Whirlpool',
    swaps: ['f8c69e91e17587c8', '2b04ed0b1ac91e62'],
  },
  LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo: { dex: 'Meteora DLMM', swaps: ['f8c69e91e17587c8', '414b3f4ceb5b5b88'] },
};

/** Every amount that the transaction itself states for a mint, read without any of the program's decoders. */
function statedAmounts(answer: Answer): Map<string, Set<string>> {
  const amounts = new Map<string, Set<string>>();
  const add = (mint: string, amount: bigint) => {
    if (!amounts.has(mint)) amounts.set(mint, new Set());
    amounts.get(mint)!.add((amount < 0n ? -amount : amount).toString());
  };
  const keys = keysOf(answer);
  const mints = new Map<string, string>();
  for (const balance of [...answer.meta.preTokenBalances, ...answer.meta.postTokenBalances]) {
    mints.set(keys[balance.accountIndex]!, balance.mint);
  }
  for (const { program, accounts, raw } of instructionsOf(answer)) {
    if (raw.parsed !== undefined) {
      if (raw.parsed.info === undefined) continue;
      const info = raw.parsed.info as unknown as Record<string, string> & { tokenAmount?: { amount: string } };
      const mint = info.mint ?? mints.get(info.destination!) ?? mints.get(info.source!);
      const amount = info.tokenAmount?.amount ?? info.amount ?? info.lamports;
      if (amount !== undefined && /^transfer/.test(raw.parsed.type)) add(mint ?? SOL, BigInt(amount));
      continue;
    }
    const data = Buffer.from(toBytes(raw.data));
    if (TOKEN_PROGRAMS.has(program) && data[0] === 3) {
      add(mints.get(accounts[1]!) ?? mints.get(accounts[0]!) ?? '?', data.readBigUInt64LE(1));
    } else if (TOKEN_PROGRAMS.has(program) && data[0] === 12) add(accounts[1]!, data.readBigUInt64LE(1));
    else if (program === SYSTEM && data.length === 12 && data.readUInt32LE(0) === 2) add(SOL, data.readBigUInt64LE(4));
  }
  for (const [index, before] of answer.meta.preBalances.entries())
    add(SOL, BigInt(answer.meta.postBalances[index]! - before));
  const changes = new Map<number, { mint: string; change: bigint }>();
  for (const { accountIndex, mint, uiTokenAmount } of answer.meta.postTokenBalances) {
    changes.set(accountIndex, { mint, change: BigInt(uiTokenAmount.amount) });
  }
  for (const { accountIndex, mint, uiTokenAmount } of answer.meta.preTokenBalances) {
    changes.set(accountIndex, {
      mint,
      change: (changes.get(accountIndex)?.change ?? 0n) - BigInt(uiTokenAmount.amount),
    });
  }
  for (const { mint, change } of changes.values()) add(mint, change);
  return amounts;
}

/** Lamports that a curve gained, which several of its trades may share. */
function curveGain(answer: Answer, pool: string): bigint {
  const index = keysOf(answer).indexOf(pool);
  return BigInt(answer.meta.postBalances[index]! - answer.meta.preBalances[index]!);
}

describe('recorded Solana transactions', () => {
  it('give one trade for every swap instruction of a listed venue that went through, and nothing else', () => {
    expect(recorded).toHaveLength(118);
    const counts: Record<string, number> = {};
    for (const { name, answer } of recorded) {
      const expected: string[] = [];
      for (const { path, program, raw } of instructionsOf(answer)) {
        const venue = VENUES[program];
        if (venue === undefined || answer.meta.err !== null) continue;
        const data = Buffer.from(toBytes(raw.data)).toString('hex');
        if (venue.swaps.some((swap) => data.startsWith(swap))) expected.push(`${path} ${venue.dex}`);
      }
      const decoded = trades(answer);
      expect({ name, legs: decoded.map(({ instruction, dex }) => `${instruction} ${dex}`) }).toEqual({
        name,
        legs: expected,
      });
      for (const { dex } of decoded) counts[dex] = (counts[dex] ?? 0) + 1;
    }
    expect(counts).toEqual({
      'Meteora DLMM': 6,
      'Orca Whirlpool': 1,
      'Pump.fun': 14,
      PumpSwap: 2,
      'Raydium AMM v4': 41,
      'Raydium CLMM': 7,
    });
  });

  it('trade amounts that stand in the transfers or balance changes of the transaction, by signers of it', () => {
    let checked = 0;
    for (const { name, answer } of recorded) {
      const stated = statedAmounts(answer);
      const signers = keysOf(answer).slice(0, answer.transaction.message.header?.numRequiredSignatures ?? 1);
      const decoded = trades(answer);
      for (const trade of decoded) {
        for (const [mint, amount] of [
          [trade.inputMint, trade.inputAmount],
          [trade.outputMint, trade.outputAmount],
        ] as const) {
          const same = decoded.filter(({ pool }) => pool === trade.pool);
          const shared = same.reduce(
            (sum, { inputMint, inputAmount, outputAmount }) =>
              sum + (inputMint === SOL ? BigInt(inputAmount) : -BigInt(outputAmount)),
            0n,
          );
          const found =
            stated.get(mint)?.has(amount) === true ||
            (trade.dex === 'Pump.fun' && mint === SOL && curveGain(answer, trade.pool) === shared);
          expect({ name, trade, mint, amount, found }).toEqual({ name, trade, mint, amount, found: true });
          checked++;
        }
        expect(signers).toContain(trade.wallet);
      }
    }
    expect(checked).toBe(142);
  });

  it('agree with what the sources of the recordings state', () => {
    const exact = [
      [
        '5aTjNTfgZ5',
        '63EazyqF9nJN8SdGTMUaLrRKxS3XnmUiFuDp5KZ9wEV8',
        '8SgNwESovnbG1oNEaPVhg6CR9mTMSK7jPvcYRe3wpump',
        '100000000',
        SOL,
        '12309272',
      ],
      [
        '4pAEq48cQs',
        'ECvj86nDupkVh1cDgxrJw3zJkw3ahcDiVB3pPTbpskjD',
        SOL,
        '100000000',
        'E8yBUD4AGdxK7MbQEf85oaAvVBuSoRsGCvX2sMxSpump',
        '43045438075',
      ],
      [
        '4U8kypMuCU',
        'EfbbhahGNuhqEraRZXrwETfsaKxScngEttdQixWAW4WE',
        SOL,
        '3000000000',
        'D66sbPtYqLnwPYcUqjDktrQtb52CnfF77C3sdpNpR8Si',
        '56716561396327',
      ],
      [
        '3bYXWjjNkV',
        '4DdrfiDHpmx55i4SPssxVzS9ZaKLb8qr45NKY9Er9nNh',
        'CnNVDyM7GXBBcH8giuRYm17YCn6kpFTTbnd6Tx4hpump',
        '592443959000000',
        SOL,
        '37437283903',
      ],
      [
        '3aQZsNRUbN',
        'Do3UdALe5F7NRXB4uYcBzZtCbAt8ssu4a5kGZVucKhC5',
        '2CrtdajpSb7DpMRLKP4yMtFLbCsWZjMkEvgSTf4Ypump',
        '836112233953',
        SOL,
        '352936256',
      ],
      [
        '2XgzfkWeDe',
        'orcACRJYTFjTeo2pV8TfYRTpmqfoYgbVi9GeANXTCc8',
        'AaJ6gmTzaQw9zxfK6BD9N89wzZLuSuwTRbi8YrTCpump',
        '22254340082',
        SOL,
        '2615124',
      ],
    ];
    for (const [name, wallet, inputMint, inputAmount, outputMint, outputAmount] of exact) {
      const expected = { wallet, inputMint, inputAmount, outputMint, outputAmount };
      expect(trades(find(name!).answer)).toEqual([expect.objectContaining(expected)]);
    }
    // Routes through other venues as well: what enters the first or leaves the last leg is stated, and who is behind it.
    const behind = (name: string) => [...new Set(trades(find(name).answer).map(({ wallet }) => wallet))];
    expect(trades(find('rNMFZpBmbr').answer)[0]).toMatchObject({ inputAmount: '634862142081', dex: 'Raydium AMM v4' });
    expect(behind('rNMFZpBmbr')).toEqual(['GKj54MVFppoYsxPU9jMn7CMniVRAuveFadyTtFhn1vXy']);
    expect(behind('51SfoFAgv3')).toEqual(['AVYG9UHetNHT1FEDPLv9pN2sCCH4CLsjvkzGjVXBfEiS']);
    expect(behind('2tWRF2xVha')).toEqual(['FkzRQKW8Mzip4xXHamibLZB28sjqN9ZLFacQdbuVEYxa']);
    expect(trades(find('5XYf7V6rNj').answer).at(-1)).toMatchObject({
      wallet: 'AS25zph72ZmhtLAz2LjEF9qT8vv5x29GJsXVj1DBNKrw',
      outputMint: '5TfqNKZbn9AnNtzq8bbkyhKgcPGTfNDc9wNzFrTBpump',
      outputAmount: '10000000000',
    });
    expect(trades(find('2nLWcmrav8').answer).at(-1)).toMatchObject({ outputAmount: '66980582126', dex: 'PumpSwap' });
  });

  it('are read to the unit for sales on a Meteora curve and a DAMM v2 pool, told by the transfers', () => {
    const sales: {
      answer: Answer;
      tokenTransfers: { mint: string; tokenAmount: number; from: string; to: string }[];
    }[] = JSON.parse(
      gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/meteora-sales.json.gz'))).toString(),
    );
    const units = (amount: number, decimals: number): string => BigInt(Math.round(amount * 10 ** decimals)).toString();
    const decoded = sales.map(({ answer, tokenTransfers: [paid, got] }) => {
      const [trade, ...more] = trades(answer);
      expect(more).toEqual([]);
      // Its mint is one of six decimals, and both are traded for wrapped SOL.
      expect(trade).toMatchObject({
        wallet: paid!.from,
        inputMint: paid!.mint,
        inputAmount: units(paid!.tokenAmount, 6),
        outputMint: got!.mint,
        outputAmount: units(got!.tokenAmount, 9),
      });
      return `${trade!.dex} ${trade!.pool}`;
    });
    expect(decoded).toEqual([expect.stringMatching(/^Meteora DBC /), expect.stringMatching(/^Meteora DAMM v2 /)]);
  });

  it('that failed would give the legs that they had reached: a CPMM pool among them, by the transfers that were undone', () => {
    const counts: Record<string, number> = {};
    for (const { name, answer } of recorded.filter(({ answer: { meta } }) => meta.err !== null)) {
      const undone = structuredClone(answer);
      undone.meta.err = null;
      const stated = statedAmounts(undone);
      for (const trade of trades(undone)) {
        counts[trade.dex] = (counts[trade.dex] ?? 0) + 1;
        const found = [
          stated.get(trade.inputMint)?.has(trade.inputAmount),
          stated.get(trade.outputMint)?.has(trade.outputAmount),
        ];
        expect({ name, trade, found }).toEqual({ name, trade, found: [true, true] });
      }
      expect(trades(answer)).toEqual([]);
    }
    expect(counts).toEqual({
      'Meteora DLMM': 1,
      'Orca Whirlpool': 1,
      'Raydium AMM v4': 5,
      'Raydium CLMM': 7,
      'Raydium CPMM': 1,
    });
  });

  it('count the swaps of other programs', () => {
    const others = (name: string) => decodeDocument(find(name).answer).undecoded;
    expect(others('rNMFZpBmbr')).toEqual(['SoLFiHG9TfgtdUXUjWAxi3LtvYuFyDLVhBWxdMZxyCe']);
    expect(others('2MroH1Aq5q')).toEqual(['2wT8Yq49kHgDzXuPxZSaeLaH1qbmGXtEyPy64bL7aD3c']);
    expect(others('51SfoFAgv3').map((program) => program.slice(0, 6))).toEqual(['HyaB3W', 'PhoeNi']);
    for (const { name, answer } of recorded) {
      const { undecoded } = decodeDocument(answer);
      if (/^(other|jupiter_lend|jupiter_dca|raydium|pump|photon)/.test(name))
        expect({ name, undecoded }).toEqual({ name, undecoded: [] });
      if (/^jupiter_v6-(solfi|lifinity|obric|zerofi)/.test(name))
        expect({ name, none: undecoded.length === 0 }).toEqual({ name, none: false });
    }
  });
});

describe('tidepool decode', () => {
  it('prints trades on standard output and the count of the others on standard error', async () => {
    let out = '';
    let err = '';
    const { answer } = find('rNMFZpBmbr');
    const code = await runDecode(['-'], {
      stdin: (async function* () {
        yield Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer }));
      })(),
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    });
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(Object.keys(lines[0])).toEqual(
      'kind dex pool wallet inputMint inputAmount outputMint outputAmount instruction'.split(' '),
    );
    expect(lines[1]).toMatchObject({
      kind: 'trade',
      dex: 'Meteora DLMM',
      instruction: '2.5',
      inputAmount: '197485565',
    });
    expect(err).toBe(
      'tidepool decode: standard input: 1 swap of other programs not decoded: SoLFiHG9TfgtdUXUjWAxi3LtvYuFyDLVhBWxdMZxyCe 1\n',
    );
  });
});
