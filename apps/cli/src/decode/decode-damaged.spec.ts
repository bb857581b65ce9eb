import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type Answer, find, recorded, toBytes } from '#libs/devkit/testing/solana/recorded-solana.js';
import { decodeDocument } from './decode-document.js';
import { NotATransactionError } from './documents.js';

describe('input that is damaged', () => {
  function generator(seed: number): () => number {
    let state = seed >>> 0;
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
  }

  /** Null, a document decoded as usual or NotATransactionError: nothing else may come out. */
  function survives(document: unknown): void {
    try {
      decodeDocument(document);
    } catch (error) {
      if (!(error instanceof NotATransactionError)) throw error;
    }
  }

  it('never throws anything but NotATransactionError', () => {
    const seed = testSeed();
    console.log(`seed ${seed}`);
    const random = generator(seed);
    const values = [null, undefined, -1, 1.5, 1e300, '', 'é', '0x', [], {}, [null], true, 4_294_967_296];
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const damage = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const holder = node as Record<string, unknown>;
      const names = Object.keys(holder);
      if (names.length === 0) return;
      const name = pick(names);
      const value = holder[name];
      if (typeof value === 'object' && value !== null && random() < 0.85) damage(value);
      else if (typeof value === 'string' && random() < 0.5) {
        const at = Math.floor(random() * value.length);
        holder[name] =
          random() < 0.5 ? value.slice(0, at) : `${value.slice(0, at)}${pick([...'1zA0l'])}${value.slice(at + 1)}`;
      } else holder[name] = pick(values);
    };
    for (let run = 0; run < 20_000 * scale; run++) {
      const document = structuredClone(pick(recorded).answer);
      for (let hits = 0; hits <= run % 4; hits++) damage(document);
      survives(document);
    }
  });

  it('never throws anything but NotATransactionError for damaged bytes of a message', () => {
    const random = generator(7);
    const { answer } = find('2nLWcmrav8');
    const meta = answer.meta;
    for (let run = 0; run < 5000 * scale; run++) {
      const bytes = Buffer.from(toBytes(find('2nLWcmrav8').answer.transaction.signatures[0]!));
      const noise = Buffer.concat([
        Buffer.from([run % 2 ? 0x81 : 1]),
        bytes,
        Buffer.from(Array.from({ length: 300 }, () => random() * 256)),
      ]);
      survives({
        meta,
        transaction: [noise.subarray(0, Math.floor(random() * noise.length)).toString('base64'), 'base64'],
      });
    }
  });

  it('names what is wrong', () => {
    const { answer } = find('4pAEq48cQs');
    const without = (change: (copy: Answer) => void): unknown => {
      const copy = structuredClone(answer);
      change(copy);
      return copy;
    };
    const cases: [unknown, RegExp][] = [
      [
        without((copy) => Object.assign(copy.transaction.message, { accountKeys: 1 })),
        /message\.accountKeys: not a list/,
      ],
      [without((copy) => Object.assign(copy.transaction.message.instructions[0]!, { data: 1 })), /instructions\[0\]/],
      [
        without((copy) => Object.assign(copy.meta.innerInstructions![0]!, { index: 99 })),
        /innerInstructions\[0\]\.index/,
      ],
      [without((copy) => Object.assign(copy.meta.preTokenBalances[0]!, { mint: 1 })), /preTokenBalances\[0\]/],
      [{ ...answer, transaction: ['AAAA', 'base64'] }, /the transaction ends early|accountKeys/],
      [{ ...answer, transaction: ['AAAA', 'hex'] }, /neither base64 nor base58/],
    ];
    for (const [document, message] of cases) expect(() => decodeDocument(document)).toThrow(message);
  });
});
