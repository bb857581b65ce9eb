import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { readTransaction, type WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import { toRecord } from './block-record.js';
import { SolanaChain } from './chain.js';
import { ChainFolder } from './chain-folder.js';
import type { Block, ChainAccount } from './chain-types.js';
import { feeOf } from './fees.js';
import { Svm } from './svm.js';

/** After any history of slots, skips and forks the accounts are those of running the surviving blocks from the start. */
const SYSTEM = SystemProgram.programId.toBase58();

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => removeFolder(folder))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidepool-solana-'));
  folders.push(folder);
  return folder;
}

let clock = 1_800_000_000;
const options = { seed: 7, depths: { confirmed: 1, finalized: 32 }, keepBlocks: 1024, now: () => clock++ };
const open = (folder: string): SolanaChain => new SolanaChain(options, new ChainFolder(folder, undefined, clock));

function transfer(from: Keypair, to: Keypair, lamports: number, blockhash: string): WireTransaction {
  const transaction = new Transaction({ feePayer: from.publicKey, blockhash, lastValidBlockHeight: 0 });
  transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports }));
  transaction.sign(from);
  return readTransaction(new Uint8Array(transaction.serialize()));
}

function fund(chain: SolanaChain, wallets: readonly Keypair[]): void {
  for (const { publicKey } of wallets) {
    const wire = chain.faucet.transfer(publicKey.toBase58(), 10_000_000_000n, chain.ledger.tip.hash);
    chain.submit(readTransaction(wire));
  }
  chain.makeBlock();
}

/** Runs the blocks of the present chain in a fresh machine; answers the accounts after each. */
function rerun(chain: SolanaChain, addresses: readonly string[]): Map<string, ChainAccount | null>[] {
  const svm = Svm.fresh();
  const hashes: { slot: number; hash: Uint8Array }[] = [];
  return chain.ledger.range(0, chain.ledger.tip.height).map((block) => {
    svm.beginSlot({ slot: block.slot, time: block.time, slotHashes: hashes.slice(0, 512) });
    for (const edit of block.edits) svm.edit(edit);
    for (const { transaction, meta } of block.transactions) {
      const again = svm.execute(transaction).meta;
      expect(again).toEqual(meta);
      expect(meta.fee).toBe(feeOf(transaction));
    }
    hashes.unshift({ slot: block.slot, hash: block.hashBytes });
    return new Map(addresses.map((address) => [address, svm.account(address)]));
  });
}

function checkLinks(blocks: readonly Block[]): void {
  for (let i = 1; i < blocks.length; i++) {
    const [parent, block] = [blocks[i - 1], blocks[i]] as [Block, Block];
    expect([block.parentHash, block.parentSlot, block.height]).toEqual([parent.hash, parent.slot, parent.height + 1]);
    expect(block.slot).toBeGreaterThan(parent.slot);
    expect(block.time).toBeGreaterThanOrEqual(parent.time);
  }
}

function everything(chain: SolanaChain): unknown {
  return chain.ledger.range(0, chain.ledger.tip.height).map(toRecord);
}

test('random histories of slots, skips, forks and restarts', async () => {
  const seeds = Math.max(3, Math.round(40 * scale));
  for (let seed = 1; seed <= seeds; seed++) {
    const random = new SeededRandom(seed * 7919);
    const wallets = Array.from({ length: 5 }, (_, i) => Keypair.fromSeed(new Uint8Array(32).fill(seed * 8 + i)));
    const addresses = wallets.map(({ publicKey }) => publicKey.toBase58());
    const folder = await newFolder();
    let chain = open(folder);
    const sent: WireTransaction[] = [];
    const abandoned = new Set<string>();
    fund(chain, wallets);
    for (let step = 0; step < 120; step++) {
      const tip = chain.ledger.tip;
      const what = random.weighted([60, 25, 6, 5, 3, 2]);
      if (what === 0) {
        const old = chain.ledger.atHeight(random.between(Math.max(0, tip.height - 3), tip.height)) as Block;
        // Now and then more than the wallet holds, so that it fails on chain.
        const lamports = random.chance(0.1) ? 10 ** 12 : random.between(1_000_000, 90_000_000);
        const transaction = transfer(random.pick(wallets), random.pick(wallets), lamports, old.hash);
        sent.push(transaction);
        chain.submit(transaction);
        if (random.chance(0.2)) chain.submit(random.pick(sent));
      } else if (what === 1) {
        chain.makeBlock();
      } else if (what === 2) {
        chain.skip(random.between(1, 4));
      } else if (what === 3) {
        const depth = random.between(1, Math.min(12, tip.height - chain.ledger.root.height));
        const gone = chain.ledger.range(tip.height - depth + 1, tip.height).map((block) => block.hash);
        const made = chain.fork(depth, { drop: random.pick([0, 0.1, 0.5, 1]), sameSlots: random.chance(0.3) });
        expect(made).toHaveLength(depth);
        for (const hash of gone) abandoned.add(hash);
      } else if (what === 4) {
        const address = random.pick(addresses);
        const lamports = BigInt(random.between(1_000_000_000, 2_000_000_000));
        const account = { lamports, owner: SYSTEM, data: new Uint8Array(0), executable: false, rentEpoch: 0n };
        chain.edit({ kind: 'account', address, account });
        chain.makeBlock();
      } else {
        const known = everything(chain);
        if (random.chance(0.5)) chain.close();
        chain = open(folder);
        expect(everything(chain)).toEqual(known);
      }
    }
    const { ledger } = chain;
    const blocks = ledger.range(0, ledger.tip.height);
    checkLinks(blocks);
    for (const { hash } of blocks) expect(abandoned.has(hash)).toBe(false);
    const signatures = blocks.flatMap((block) => block.transactions.map((landed) => landed.transaction.signature));
    expect(new Set(signatures).size).toBe(signatures.length);
    for (const address of addresses) {
      const named = blocks.flatMap((b) => b.transactions).filter((t) => t.transaction.keys.includes(address));
      expect(ledger.byAddress(address)).toEqual(named);
    }
    try {
      const history = rerun(chain, addresses);
      for (const block of ledger.range(ledger.root.height, ledger.tip.height)) {
        for (const address of addresses) {
          expect(chain.accountAt(block, address)).toEqual(history[block.height]?.get(address));
        }
      }
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

test('what a fork drops is as if it never was; what is final cannot be forked', async () => {
  const chain = new SolanaChain(options, null);
  const [a, b] = [Keypair.generate(), Keypair.generate()];
  fund(chain, [a]);
  const funded = chain.ledger.tip;
  const transaction = transfer(a, b, 1_000_000_000, funded.hash);
  chain.submit(transaction);
  const old = chain.makeBlock();
  expect(chain.state.account(b.publicKey.toBase58())?.lamports).toBe(1_000_000_000n);
  const [made] = chain.fork(1, { drop: 1 });
  expect(made).toMatchObject({ parentHash: funded.hash, slot: old.slot + 1, height: old.height, transactions: [] });
  expect(chain.ledger.atSlot(old.slot)).toBeUndefined();
  expect(chain.state.account(b.publicKey.toBase58())).toBeNull();
  expect(chain.ledger.bySignature(transaction.signature)).toBeUndefined();
  // It may land again, once.
  chain.submit(transaction);
  chain.makeBlock();
  chain.submit(transaction);
  expect(chain.makeBlock().transactions).toHaveLength(0);
  // A transaction that builds on a replaced block cannot land on the other fork.
  chain.submit(transfer(a, b, 5_000_000, old.hash));
  expect(chain.makeBlock().transactions).toHaveLength(0);

  for (let i = 0; i < 40; i++) chain.makeBlock();
  expect(chain.ledger.tip.height - chain.ledger.root.height).toBe(32);
  expect(() => chain.fork(33)).toThrow('a fork replaces 1 to 32 blocks');
  expect(() => chain.fork(0)).toThrow('a fork replaces');
  const hashes = chain.ledger.range(0, chain.ledger.root.height).map((block) => block.hash);
  chain.fork(32, { sameSlots: true });
  expect(chain.ledger.range(0, chain.ledger.root.height).map((block) => block.hash)).toEqual(hashes);
});

test('a blockhash is good for 150 blocks', () => {
  const chain = new SolanaChain(options, null);
  const [a, b] = [Keypair.generate(), Keypair.generate()];
  fund(chain, [a]);
  const { hash } = chain.ledger.tip;
  for (let i = 0; i < 149; i++) chain.makeBlock();
  chain.submit(transfer(a, b, 1_000_000, hash));
  expect(chain.makeBlock().transactions).toHaveLength(1);
  chain.submit(transfer(a, b, 2_000_000, hash));
  expect(chain.makeBlock().transactions).toHaveLength(0);
});

test('old history is forgotten in memory and in the folder, and the chain continues', async () => {
  const folder = await newFolder();
  let chain = open(folder);
  const [a, b] = [Keypair.generate(), Keypair.generate()];
  fund(chain, [a]);
  chain.submit(transfer(a, b, 1_000_000, chain.ledger.tip.hash));
  for (let i = 0; i < 4500; i++) chain.makeBlock();
  const segments = (await readdir(folder)).filter((name) => name.startsWith('blocks-'));
  expect(segments.length).toBeLessThan(5);
  expect(segments).not.toContain('blocks-000000000000.ndjson');
  expect(chain.ledger.first.height).toBeGreaterThan(3000);
  const { tip } = chain.ledger;
  chain = open(folder);
  expect(chain.ledger.tip.hash).toBe(tip.hash);
  expect(chain.state.account(b.publicKey.toBase58())?.lamports).toBe(1_000_000n);
  chain.fork(5);
  chain.submit(transfer(a, b, 1_000_000, chain.ledger.tip.hash));
  chain.makeBlock();
  expect(chain.state.account(b.publicKey.toBase58())?.lamports).toBe(2_000_000n);
});

test('a line cut short by a crash is dropped; a folder of another seed or of something else is refused', async () => {
  const folder = await newFolder();
  const chain = open(folder);
  chain.makeBlock();
  const last = chain.makeBlock();
  const { appendFile, writeFile } = await import('node:fs/promises');
  await appendFile(join(folder, 'blocks-000000000000.ndjson'), '{"block":{"slot":3');
  const again = open(folder);
  expect(again.ledger.tip.hash).toBe(last.hash);
  again.makeBlock();
  expect(open(folder).ledger.tip.height).toBe(3);
  expect(() => new ChainFolder(folder, 8, 0)).toThrow('with seed');
  await writeFile(join(folder, 'chain.json'), '{}');
  expect(() => new ChainFolder(folder, undefined, 0)).toThrow('does not describe');
});
